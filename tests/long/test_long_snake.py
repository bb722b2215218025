"""The snake with 48 links, whose statement is too large for a model file, moves, and as the multipliers say."""

from snakes import follow_snake

from dalembert.model.stored_form import is_graph, read_back


def test_a_snake_with_48_links_moves_as_the_multipliers_say():
    run = follow_snake(48, 8.0)
    assert run.success
    assert is_graph(run.provenance["model"])
    assert len(read_back(run.provenance["model"]).q) == 50
