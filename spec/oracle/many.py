"""Outcomes of many models: a tensor {"tensor": [...]} or a mapping {"models": {name: outcomes}}."""
from outcomes import recipe


def models(R):
    """(name, outcomes) of every model in the given order; models of a tensor are named by their index."""
    if "tensor" in R:
        return [(i, {"matrix": m}) for i, m in enumerate(R["tensor"])]
    return list(R["models"].items())


def all_outcomes(R):
    return [x for _, x in models(R)]


def trials(R):
    """The outcomes of one model as rows, trial by trial."""
    return recipe(**R["recipe"]) if "recipe" in R else R["matrix"]
