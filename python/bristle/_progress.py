"""progress=True, a tqdm class, or a function of (done, total)."""

import sys


def callback(progress, total=100, unit="%"):
    """A function of the finished fraction, or False."""
    if not progress:
        return False
    if callable(progress) and not isinstance(progress, type):
        return lambda part: progress(min(total, round(part * total)), total)
    bar = _bar(progress, total, unit)
    if bar is False:
        return _Line(total, unit)

    def update(part):
        bar.update(round(part * total) - bar.n)
        if part >= 1:
            bar.close()

    return update


def _bar(progress, total, unit):
    if isinstance(progress, type):
        return progress(total=total, unit=unit)
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return False
    return tqdm(total=total, unit=unit)


class _Line:
    """One line on stderr, for installations without tqdm."""

    def __init__(self, total, unit):
        self.total, self.unit, self.last = total, unit, -1

    def __call__(self, part):
        done = round(part * self.total)
        if done != self.last:
            self.last = done
            end = "\n" if part >= 1 else ""
            print(f"\r{done} of {self.total} {self.unit}", end=end, file=sys.stderr, flush=True)
