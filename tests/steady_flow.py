"""The flow as a second derivation of linear parts of steady motions."""

import numpy as np

from dalembert import simulate
from dalembert.analysis.steady.linear_part import across, linear_part
from dalembert.analysis.steady.search import Point, orbit
from dalembert.analysis.steady.steady_field import steady_field


def by_the_flow(result, state, turning, time, wrong=0.0, follows=()):
    """Return the eigenvalues of g(T)^-1 o flow_T across the orbit, by differences of motions.

    ``follows`` are names that constraints on positions give.
    """
    field = steady_field(result)
    y = np.array([*state.values(), *turning.values()])
    y[-1] += wrong
    point = Point(y, field.problem.parameters)
    part = linear_part(field, point)
    names = list(state)

    def after(values):
        given = {name: x for name, x in zip(names, values, strict=True) if name not in follows}
        run = simulate(result, given, time, tolerance=1e-12)
        return np.array([run[name][-1] for name in names])

    base = np.array(list(state.values()))
    end = np.append(after(base), list(turning.values()))
    _, kept, rows = across(names, orbit(field, Point(end, field.problem.parameters)))
    width = 2e-5
    columns = []
    for direction in part.directions.T:
        ahead, back = after(base + width * direction), after(base - width * direction)
        columns.append(rows @ ((ahead - back) / (2 * width)))
    assert [names[k] for k in kept] == list(part.names)
    return np.linalg.eigvals(np.array(columns).T), part.eigenvalues
