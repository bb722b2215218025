"""Systems of the gallery, each read once for all tests of a process: many ask for the same, some while collected."""

from functools import cache

from dalembert import gallery

load = cache(gallery.load)
