"""Steps in the order of need: each after what it waits for, and sooner done where chains stand one behind the other."""

from hypothesis import given
from hypothesis import strategies as st

from dalembert.numerics.scheduling import order_of_need

WINDOW = 100


@st.composite
def works(draw):
    """Return steps that wait for earlier ones, with the cycles that they take and their operations."""
    size = draw(st.integers(0, 60))
    needs = [draw(st.sets(st.integers(0, i - 1), max_size=3)) if i else set() for i in range(size)]
    numbers = st.lists(st.integers(0, 40), min_size=size, max_size=size)
    return needs, draw(numbers), draw(numbers)


@given(works())
def test_every_step_comes_once_and_after_what_it_waits_for(drawn):
    needs, cycles, work = drawn
    order = order_of_need(needs, cycles, work)
    assert sorted(order) == list(range(len(needs)))
    place = {step: k for k, step in enumerate(order)}
    assert all(place[k] < place[i] for i, known in enumerate(needs) for k in known)


def clock(order, needs, cycles):
    """Return when all is done by a processor that begins one step in a cycle and looks a window ahead."""
    waiting, done, now = list(order), {}, 0
    while waiting:
        for step in waiting[:WINDOW]:
            if all(done.get(k, now + 1) <= now for k in needs[step]):
                done[step] = now + cycles[step]
                waiting.remove(step)
                break
        now += 1
    return max(done.values())


def test_two_chains_one_behind_the_other_are_done_side_by_side():
    length = 400
    needs = [{i - 1} if i % length else set() for i in range(2 * length)]
    cycles, work = [4] * len(needs), [1] * len(needs)
    assert clock(order_of_need(needs, cycles, work), needs, cycles) == 4 * length + 1
    assert clock(range(len(needs)), needs, cycles) > 7 * length - WINDOW


def test_what_rarely_waits_stays():
    needs = [{i - 1} if i % 9 else set() for i in range(900)]
    assert order_of_need(needs, [4] * 900, [1] * 900) == list(range(900))
