"""What can be computed, and by which formulations."""

from __future__ import annotations

from typing import Any, NamedTuple, overload

from . import _catena


def jobs() -> list[dict[str, Any]]:
    """What can be computed: name, method_name, words, inputs, outputs (shape, unit), methods."""
    return _catena.jobs()


@overload
def methods(job: None = ...) -> dict[str, list[str]]: ...
@overload
def methods(job: str) -> list[str]: ...
def methods(job: str | None = None) -> dict[str, list[str]] | list[str]:
    """The formulations of a job, or of all jobs by method name."""
    all_jobs = {entry["method_name"]: entry["methods"] for entry in jobs()}
    if job is None:
        return all_jobs
    for entry in jobs():
        if job in (entry["name"], entry["method_name"]):
            return entry["methods"]
    raise ValueError(f"there is no job '{job}'; there are {', '.join(all_jobs)}")


class Source(NamedTuple):
    """A formulation: its name, the job that it computes, the work that it comes from, the page with its equations, and its
    multiplications and additions as published."""

    name: str
    job: str
    source: str
    equations: str
    cost: str


def sources(job: str | None = None) -> list[Source]:
    """The formulations of a job, or of all, with the works that they come from and their published costs."""
    return [Source(*own) for own in _catena.sources(job or "")]


def job_facts(job: str) -> dict[str, Any]:
    """The description of a job, by either of its names."""
    for entry in jobs():
        if job in (entry["name"], entry["method_name"]):
            return entry
    raise ValueError(f"there is no job '{job}'")
