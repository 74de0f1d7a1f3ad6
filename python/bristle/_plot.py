"""Figures of the library drawn by matplotlib: the same panels as the command draws."""

import re

_COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"]
_DASHES = ["-", "--", "-.", ":"]
_MARKERS = {"stick": "s", "slip+": ">", "slip-": "<", "other": "o"}


def _tex(text):
    """F_{s} and m/s^{2} as mathematics."""
    return re.sub(r"([A-Za-zα-ωΑ-Ω]*)([_^])(\{[^}]*\}|\w)", r"$\\mathrm{\1}\2\3$", text.replace("$", r"\$"))


def draw(figure, axes=None, **options):
    """Draws a figure; returns the matplotlib figure. `axes`: one or several to draw into."""
    import matplotlib.pyplot as plt
    import numpy as np

    panels = figure["panels"]
    if axes is None:
        columns = figure["columns"] or (1 if len(panels) <= 3 else 2)
        rows = max(1, -(-len(panels) // columns))
        fig, grid = plt.subplots(rows, columns, squeeze=False, layout="constrained",
                                 figsize=options.pop("figsize", (6.4 * columns, 2.4 * rows + 0.6)), **options)
        axes = grid.ravel()
        for spare in axes[len(panels):]:
            spare.set_axis_off()
    else:
        axes = np.atleast_1d(axes).ravel()
        fig = axes[0].figure
        if len(axes) < len(panels):
            raise ValueError(f"axes: {len(axes)} given, {len(panels)} required, one per panel")
    for ax, panel in zip(axes, panels):
        _panel(ax, panel)
    if figure["title"]:
        fig.suptitle(_tex(figure["title"]))
    return fig


def _panel(ax, panel):
    if panel["map"]:
        m = panel["map"]
        z = m["z"].reshape(len(m["x"]), len(m["y"])).T
        ax.figure.colorbar(ax.pcolormesh(m["x"], m["y"], z, shading="nearest", cmap="viridis"), ax=ax, label=_tex(m["label"]))
    for i, b in enumerate(panel["bands"]):
        ax.fill_between(b["x"], b["lo"], b["hi"], alpha=0.25, color=_COLORS[i % 8], linewidth=0)
    for i, s in enumerate(panel["series"]):
        color = _COLORS[(i if s["color"] is None else s["color"]) % len(_COLORS)]
        line = "" if s["style"] == "points" else _DASHES[s["dash"] % 4]
        ax.plot(s["x"], s["y"], linestyle=line, marker="." if "points" in s["style"] else "", color=color, linewidth=1.2,
                drawstyle="steps-post" if s["style"] == "steps" else "default", label=_tex(s["label"]) or "_")
    for axis, at, label in panel["lines"]:
        (ax.axhline if axis == "y" else ax.axvline)(at, color="0.4", linewidth=0.8, linestyle="--", label=_tex(label) or "_")
    seen = set()
    for x, kind in panel["marks"]:
        ax.plot([x], [1.02], _MARKERS[kind], transform=ax.get_xaxis_transform(), color="0.3", markersize=4, clip_on=False,
                label="_" if kind in seen else kind)
        seen.add(kind)
    for name, axis in (("x", panel["x"]), ("y", panel["y"])):
        getattr(ax, f"set_{name}label")(_tex(axis["label"]))
        if axis["log"]:
            getattr(ax, f"set_{name}scale")("log")
        if axis["limits"]:
            getattr(ax, f"set_{name}lim")(*axis["limits"])
    if panel["title"]:
        ax.set_title(_tex(panel["title"]), fontsize="medium", pad=10 if panel["marks"] else None)
    ax.grid(alpha=0.25)
    if any(not str(h.get_label()).startswith("_") for h in ax.get_lines()):
        ax.legend(fontsize="small")
