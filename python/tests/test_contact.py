"""Contacts: laws, round trips, arrays of every kind."""

import copy
import inspect
import os
import pickle
import threading

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bristle

MODELS = bristle.models()
LUMPED = [m for m, i in MODELS.items() if m not in ("gfm", "generic2010")]


def typical(model, **more):
    return bristle.make(model, **({f["name"]: f["value"] for f in MODELS[model]["parameters"] if f["required"]} | more))


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_a_class_with_documents(model):
    info = MODELS[model]
    cls = getattr(bristle, info["class"])
    assert issubclass(cls, bristle.Contact) and cls.__name__ in bristle.__all__
    for f in info["parameters"]:
        assert f["name"] in cls.__doc__ and f["meaning"] in cls.__doc__
        assert f["name"] in inspect.signature(cls).parameters


def test_class_names_are_those_of_cpp():
    assert {bristle.LuGre, bristle.Gms, bristle.BrownMcPhee, bristle.RateState} <= set(bristle.Contact.__subclasses__())


@pytest.mark.parametrize("model", LUMPED)
def test_round_trips_of_every_model(model):
    c = typical(model)
    for _ in range(3):
        c.step(2e-3, 1e-3)
    for other in (pickle.loads(pickle.dumps(c)), copy.copy(c), copy.deepcopy(c), c.copy()):
        assert type(other) is type(c) and other == c
        assert other.step(-1e-3, 1e-3) == c.copy().step(-1e-3, 1e-3)
    fresh = eval(repr(c), {"bristle": bristle})
    c.reset()
    assert fresh == c


finite = st.floats(0.01, 10, allow_nan=False)


@settings(max_examples=50)
@example(Fc=1, more=1, vs=1, offset=-0.0, asymmetry=-0.0, z=-0.0)
@given(Fc=finite, more=finite, vs=st.floats(1e-5, 1), offset=st.floats(-5, 5), asymmetry=st.floats(-0.9, 0.9), z=st.floats(-1e-6, 1e-6))
def test_repr_can_be_pasted(Fc, more, vs, offset, asymmetry, z):
    c = bristle.LuGre(Fc=Fc, Fs=Fc + more, vs=vs, sigma0=1e5, sigma1=1, effects={"offset": offset, "asymmetry": asymmetry},
                      initial={"z": z}, negative={"kv": 3.0})
    assert eval(repr(c), {"bristle": bristle}) == c
    assert pickle.loads(pickle.dumps(c)) == c


def test_equal_contacts_have_equal_values(lugre):
    for zero in ({"effects": {"offset": -0.0}}, {"initial": {"z": -0.0}}, {"negative": {"kv": -0.0}}, {"kv": -0.0}):
        plus = {k: {n: 0.0 for n in v} if isinstance(v, dict) else 0.0 for k, v in zero.items()}
        c, d = typical("lugre", **zero), typical("lugre", **plus)
        assert c == d and eval(repr(c), {"bristle": bristle}) == c and pickle.loads(pickle.dumps(c)) == c
    for neutral in ({"offset": 0}, {"load_exponent": 1}, {"noise": 0, "seed": 1}, {"curve_period": float("inf")}):
        c = typical("lugre", effects=neutral)
        assert c == typical("lugre") and eval(repr(c), {"bristle": bristle}) == c
    old = typical("rate_state", initial={"theta": 0})  # not at its default, which is no zero
    assert old.to_dict()["initial"] == {"theta": 0} and eval(repr(old), {"bristle": bristle}) == old != typical("rate_state")
    assert "initial" not in repr(typical("rate_state"))
    other = lugre.copy()
    other.state = np.array([-0.0])
    assert other == lugre
    other.state = np.array([5e-324])
    assert other != lugre and lugre != "lugre"
    for change in ({"Fc": 0.9}, {"effects": {"offset": 1e-300}}, {"negative": {"kv": 0.4}}, {"initial": {"z": 1e-9}}):
        assert typical("lugre", **change) != typical("lugre")
    still, moved = typical("stribeck"), typical("stribeck")
    moved.step(0.1, 1.0)  # effects of position differ from here on
    assert moved != still and moved == moved.copy()


@pytest.mark.parametrize("model", LUMPED)
def test_along_is_a_loop_of_steps(model):
    rng = np.random.default_rng(7)
    v = 0.01 * np.cumsum(rng.standard_normal(400)) / 10
    load = 1 + 0.3 * np.sin(np.arange(400) / 20)
    effects = {"offset": 0.2, "asymmetry": 0.1, "ripple": 0.05, "ripple_period": 0.01, "load_exponent": 0.8}
    for more in ({}, {"effects": effects}, {"effects": effects, "negative": {"kv": 0.9}}):
        for inputs in ({}, {"load": load}, {"temperature": 20 + load}):
            try:
                c = typical(model, **more)
            except bristle.InputError:
                continue  # not every model may differ between directions
            one = c.copy()
            F = c.along(1e-3, v=v, **inputs)
            kw = [{k: a[i] for k, a in inputs.items()} for i in range(400)]
            G = np.array([one.step(v[i], 1e-3, **kw[i]) for i in range(400)])
            scale = np.max(np.abs(G))
            assert np.max(np.abs(F - G)) <= 1e-9 * scale  # vector code rounds in another order
            assert c.t == pytest.approx(0.4) and c.x == pytest.approx(one.x, abs=1e-15)


def test_along_with_times_and_positions(lugre):
    t = np.linspace(0, 1, 501)
    x = 1e-3 * np.sin(5 * t)
    by_x = lugre.copy().along(t, x=x)
    v = np.diff(x) / np.diff(t)
    by_v = lugre.copy().along(t, v=np.concatenate([[v[0]], v]))
    assert np.allclose(by_x, by_v, rtol=1e-9, atol=1e-12)
    uneven = t + 1e-4 * np.sin(40 * t)
    one = lugre.copy()
    F = lugre.copy().along(uneven, v=0.01)
    assert F[1:] == pytest.approx([one.step(0.01, dt) for dt in np.diff(uneven)])
    assert F.shape == t.shape


def test_steady_is_the_end_of_a_long_motion(lugre):
    v = np.array([[-0.1, -1e-3], [1e-3, 0.1]])
    F = lugre.steady(v)
    assert F.shape == v.shape
    for w, expected in zip(v.flat, F.flat):
        assert lugre.copy().along(1e-3, v=np.full(3000, w))[-1] == pytest.approx(expected, rel=1e-9)
    assert isinstance(lugre.steady(0.1), float)
    with pytest.raises(bristle.InputError, match="no closed form"):
        bristle.Gfm(asperities=50).steady(0.1)
    for effects in ({"load_offset": 0.5}, {"curve_x": [0, 1], "curve_load": [0.5, 0.5]}):
        with pytest.raises(bristle.InputError, match="no closed form"):
            typical("lugre", effects=effects).steady(0.1)


def test_along_follows_a_curve_of_the_load():
    c = typical("lugre", effects={"curve_x": [0, 0.1, 0.2], "curve_load": [0, 1, 0.2]})
    one, v = c.copy(), np.full(200, 1e-3)
    F = c.along(1.0, v=v)
    assert F == pytest.approx([one.step(w, 1.0) for w in v], rel=1e-12) and F[99] == pytest.approx(2 * F[0], rel=0.1)


def test_arrays_of_every_kind(lugre):
    v = np.linspace(-0.01, 0.01, 100)
    F = lugre.copy().along(1e-3, v=v)
    frozen = v.copy()
    frozen.flags.writeable = False
    wide = np.empty(200)
    wide[::2] = v
    for kind in (v.tolist(), frozen, wide[::2], v[::-1][::-1], v.astype(">f8"), np.asfortranarray(v)):
        assert np.array_equal(lugre.copy().along(1e-3, v=kind), F)
    assert np.allclose(lugre.copy().along(1e-3, v=v.astype(np.float32)), F, rtol=1e-5, atol=1e-5)
    assert lugre.copy().along(1e-3, v=np.ones(3, dtype=int)).shape == (3,)
    out = np.empty(100)
    assert lugre.copy().along(1e-3, v=v, out=out) is out and np.array_equal(out, F)
    load = 1 + 0.1 * np.sin(np.arange(100.0))
    expected = lugre.copy().along(1e-3, v=v, load=load)
    for name in ("v", "load"):  # the result may replace an input
        inputs = {"v": v.copy(), "load": load.copy()}
        assert np.array_equal(lugre.copy().along(1e-3, **inputs, out=inputs[name]), expected)
    both = np.r_[v, 0.0]
    assert np.array_equal(lugre.copy().along(1e-3, v=both[:-1], out=both[1:]), F)
    assert lugre.copy().along(1e-3, v=[]).shape == (0,) and lugre.steady([]).shape == (0,)
    for bad in (frozen, np.empty(100, dtype=np.float32), np.empty(200)[::2], np.empty(99)):
        with pytest.raises(bristle.InputError, match="out"):
            lugre.copy().along(1e-3, v=v, out=bad)
    for wrong in (v.astype(complex), np.array(["a"] * 100)):
        with pytest.raises(TypeError, match="numbers"):
            lugre.along(1e-3, v=wrong)
    for wrong in (v.reshape(10, 10), np.r_[v[:-1], np.nan], np.r_[v[:-1], np.inf]):
        state = lugre.state
        with pytest.raises(bristle.InputError):
            lugre.along(1e-3, v=wrong)
        assert np.array_equal(lugre.state, state) and lugre.t == 0
    with pytest.raises(bristle.InputError, match=r"v\[20000\] = nan"):
        lugre.along(1e-3, v=np.r_[np.zeros(20000), np.nan])
    with pytest.raises(bristle.InputError) as e:
        lugre.along(np.arange(5.0), v=v, load=[1, 2, 3])
    assert len(e.value.problems) == 2  # all at once
    with pytest.raises(bristle.InputError, match=r"t\[2\]"):
        lugre.along([0, 1, 1, 2], v=np.ones(4))
    times = np.arange(9000) * 1e-3
    times[5000] = np.nan
    with pytest.raises(bristle.InputError, match=r"t\[5000\]"):
        lugre.along(times, v=np.ones(9000))
    for dt in (0, -1, np.nan, np.inf):
        with pytest.raises(bristle.InputError):
            lugre.along(dt, v=v)
        with pytest.raises(bristle.InputError):
            lugre.step(0.1, dt)
    with pytest.raises(bristle.InputError, match=r"r\[0\] = -1"):
        lugre.along(1e-3, v=v, load=-1.0)


def test_problems_come_together():
    with pytest.raises(bristle.InputError) as e:
        bristle.LuGre(Fc=-1, Fs=1.5, vss=3)
    assert len(e.value.problems) == 4 and isinstance(e.value, ValueError)
    assert pickle.loads(pickle.dumps(e.value)).problems == e.value.problems
    with pytest.raises(bristle.InputError, match="did you mean 'lugre'"):
        bristle.make("lugra")
    with pytest.raises(bristle.InputError, match="Fs"):
        bristle.Stribeck(Fc=2, Fs=1, vs=1e-3)
    with pytest.raises(bristle.InputError, match="name must be a text"):
        bristle.Stribeck(Fc=1, Fs=2, vs=1e-3, effects={1: 1})
    with pytest.raises(TypeError):
        bristle.Contact()


def test_misspelt_attributes_are_refused(lugre):
    for name in ("FC", "fc", "sigma_0", "loads"):
        with pytest.raises(AttributeError, match=name):
            setattr(lugre, name, 2.0)
    with pytest.raises(AttributeError, match="did you mean 'sigma0'"):
        lugre.sigma_0 = 1e4
    lugre.Fc = 1.2
    assert lugre.Fc == 1.2

    class Named(bristle.LuGre):
        label = ""

    own = Named(**lugre.parameters)
    own.label = "elbow"
    assert own.label == "elbow"
    b = bristle.Batch("lugre", Fc=[1, 1.1], Fs=1.5, vs=1e-3, sigma0=1e5, sigma1=300)
    with pytest.raises(AttributeError):
        b.Fc = 2.0


def test_parameters_and_states(lugre):
    assert lugre.Fc == 1 and lugre.parameters["Fs"] == 1.5 and lugre.states == {"z": 0.0} and lugre.effects == {}
    lugre.set(Fc=0.5)
    assert lugre.Fc == 0.5
    with pytest.raises(bristle.InputError):
        lugre.set(Fc=9, Fs=1)
    assert lugre.parameters["Fc"] == 0.5
    lugre.Fc = 0.25
    assert lugre.parameters["Fc"] == lugre.Fc == 0.25 and "Fc" not in vars(lugre)
    with pytest.raises(bristle.InputError):
        lugre.Fc = -1
    lugre.Fc = 0.5
    with pytest.raises(AttributeError):
        lugre.nothing
    lugre.state = np.array([1e-6])
    assert lugre.states["z"] == 1e-6
    with pytest.raises(bristle.InputError):
        lugre.state = np.zeros(3)
    before = lugre.state
    lugre.force(0.1)
    assert np.array_equal(lugre.state, before)
    block = lugre.to_dict()
    assert bristle.make(block.pop("model"), **block).parameters == lugre.parameters


def test_couple_holds_and_balances(lugre):
    c = bristle.Stribeck(Fc=1, Fs=1.5, vs=1e-3)
    held = c.couple(0, 1.2, mass=2, dt=1e-3)
    assert held.holds and held.v == 0 and held.F == pytest.approx(1.2)
    moved = c.couple(0, 3.0, mass=2, dt=1e-3)
    assert 2 * moved.v / 1e-3 == pytest.approx(3.0 - moved.F)
    contacts = [c.copy(), lugre.copy()]
    M = np.array([[2, 0.5], [0.5, 1]])
    v0, push = np.array([0.0, 0.1]), np.array([4.0, 0.2])
    v, F, holds = bristle.couple_all(contacts, M, v0, push, 1e-3)
    assert M @ (v - v0) / 1e-3 == pytest.approx(push - F)
    inverse = [c.copy(), lugre.copy()]
    assert bristle.couple_all(inverse, np.linalg.inv(M), v0, push, 1e-3, inverse=True)[0] == pytest.approx(v)
    for bad in (np.eye(3), -np.eye(2)):
        with pytest.raises(bristle.InputError):
            bristle.couple_all(contacts, bad, v0, push, 1e-3)
    with pytest.raises(bristle.InputError, match="twice"):
        bristle.couple_all([c, c], M, v0, push, 1e-3)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_batch_is_many_contacts(dtype):
    Fc = np.linspace(1, 1.4, 37)
    b = bristle.Batch("lugre", Fc=Fc, Fs=1.5, vs=1e-3, sigma0=1e5, sigma1=300, dtype=dtype)
    ones = [bristle.LuGre(Fc=f, Fs=1.5, vs=1e-3, sigma0=1e5, sigma1=300) for f in Fc]
    v = np.random.default_rng(3).standard_normal((5, 37)) * 0.01
    for w in v:
        F = b.step(w.astype(dtype), 1e-3)
        tolerance = 1e-9 if dtype == np.float64 else 2e-3
        assert np.allclose(F, [c.step(x, 1e-3) for c, x in zip(ones, w)], rtol=tolerance, atol=tolerance)
    b.reset()
    g = bristle.Batch("gms", Fc=1, Fs=1.5, vs=1e-3, C=10, k=np.array([[1e4, 2e4], [3e4, 1e4]]), nu=[0.5, 0.5])
    assert len(g) == 2 and g.step([1e-6, 1e-6], 1.0)[1] > 0
    with pytest.raises(bristle.InputError, match="Fs"):  # of one contact alone
        bristle.Batch("lugre", Fc=[1, 1, 1.6], Fs=1.5, vs=1e-3, sigma0=1e5, sigma1=300)
    with pytest.raises(bristle.InputError):
        bristle.Batch("lugre", Fc=[1, 2], Fs=[1, 2, 3])
    with pytest.raises(bristle.InputError, match="at least one"):
        bristle.Batch("lugre", Fc=[], Fs=1.5, vs=1e-3, sigma0=1e5, sigma1=300)
    with pytest.raises(bristle.InputError):
        b.step(np.full(37, np.nan), 1e-3)


@pytest.mark.parametrize("model", LUMPED)
def test_batch_with_load_and_effects_is_many_contacts(model):
    if MODELS[model]["properties"]["random"]:
        return
    rng = np.random.default_rng(11)
    block = {f["name"]: f["value"] for f in MODELS[model]["parameters"] if f["required"]}
    offset = np.linspace(-1, 1, 13)
    effects = {"offset": offset, "ripple": 0.2, "ripple_period": 1e-2, "load_exponent": 0.7, "temperature_coefficient": 0.01}
    b = bristle.Batch(model, **block, effects=effects)
    ones = [bristle.make(model, **block, effects=effects | {"offset": o}) for o in offset]
    for k in range(6):
        v, load, warm = 0.02 * rng.standard_normal(13), 1 + rng.random(13), 20 + 10 * rng.random(13)
        x = {} if k % 2 else {"x": rng.random(13)}
        F = b.step(v, 1e-3, load=load, temperature=warm, **x)
        G = [c.step(v[i], 1e-3, load=load[i], temperature=warm[i], **{n: a[i] for n, a in x.items()}) for i, c in enumerate(ones)]
        assert np.allclose(F, G, rtol=1e-9, atol=1e-9 * np.max(np.abs(G)))


def test_batch_refuses_what_it_cannot_do():
    block = {"Fc": 1, "Fs": 1.5, "vs": 1e-3, "sigma0": 1e5, "sigma1": 300}
    b = bristle.Batch("lugre", **block, size=3)
    before = b.step(0.01, 1e-3)
    for wrong in ({"v": [1, 2]}, {"v": np.nan}, {"v": 1, "load": -1}, {"v": 1, "load": [1, np.inf, 1]}, {"v": 1, "x": np.ones((3, 1))},
                  {"v": 1, "temperature": np.ma.masked_array([1, 2, 3], [0, 1, 0])}):
        with pytest.raises(bristle.InputError):
            b.step(dt=1e-3, **wrong)
    for wrong in (1j, "1", [None, 1, 2]):
        with pytest.raises(TypeError, match="numbers"):
            b.step(wrong, 1e-3)
    for wrong in ({"effects": {"ripple": [0, 0, 2]}}, {"effects": {"offset": [1, 2]}}, {"effects": {"nonsense": 1}}, {"negative": {"kv": 1}},
                  {"initial": {"z": 0}}, {"size": 2.5}):
        with pytest.raises(bristle.InputError):
            bristle.Batch("lugre", **(block | {"size": 3} | wrong))
    b.reset()
    assert np.array_equal(b.step(0.01, 1e-3), before)
    out = np.array([0.01, 0.02, 0.03])
    expected = bristle.Batch("lugre", **block, size=3).step(out.copy(), 1e-3)
    assert bristle.Batch("lugre", **block, size=3).step(out, 1e-3, out=out) is out and np.array_equal(out, expected)


def test_masked_values_are_refused(lugre):
    with pytest.raises(bristle.InputError, match="masked"):
        lugre.along(1e-3, v=np.ma.masked_array([1.0, 2.0], [False, True]))


def test_threads_and_fork(lugre):
    v = 0.01 * np.sin(np.arange(20000) * 1e-2)
    expected = lugre.copy().along(1e-3, v=v)
    results = {}

    def work(i):
        results[i] = lugre.copy().along(1e-3, v=v)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all(np.array_equal(results[i], expected) for i in range(4))
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        good = np.array_equal(lugre.copy().along(1e-3, v=v), expected)
        os.write(write, b"1" if good else b"0")
        os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(read, 1) == b"1"


def test_asperities():
    g = bristle.Gfm(asperities=200, seed=3)
    F = g.along(0.05, v=np.full(100, 0.1))
    assert np.isfinite(F).all() and len(g.snapshot()["force"]) == 200
    again = bristle.Gfm(asperities=200, seed=3)
    again.along(0.05, v=np.full(50, 0.1))
    rest = pickle.loads(pickle.dumps(again)).along(0.05, v=np.full(50, 0.1))
    assert np.array_equal(rest, F[50:])
