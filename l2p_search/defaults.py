"""The defaults that a user meets, each written once, for the library and the command line alike.

Defaults of hyperparameters are in `config`: they belong to a configuration, not to a call.
"""

from typing import Final

SPACE = "paper"
"""The space that is searched, where none is given."""
TRIALS = 100
"""Configurations per search, where its space states no budget."""
SEEDS = 20
"""Seeds per configuration, as in the paper."""
CONFIRM = 20
"""Fresh seeds on which the best configuration is trained again."""
TIES = 4
"""The largest number of ties with the best that are confirmed beside it."""
SAMPLER: Final = "tpe"
"""How configurations are proposed: one of Optuna's samplers."""
SAMPLER_SEED = 0
"""The seed of the sampler."""
RACE: Final = "halving"
"""The rule of a race, where one is asked for and no rule is named."""
CPUS_PER_TRIAL = 1
"""Threads per trial."""
DEVICE = "auto"
"""What is computed on: a CUDA device where there is one, else the CPU."""
GPUS_PER_TRIAL: Final[float | None] = None
"""GPUs reserved per trial: one on a CUDA device, else none."""
MEMORY_GB = 4.0
"""Memory per trial, which bounds how many seeds train at once."""
THREADS = 1
"""Threads that torch predicts with, in the caller's process."""
NODE_SEEDS = 5
"""Seeds over which one node's posterior is averaged."""
BUDGET = "quick"
"""How much of the paper's protocol its tables and figures run: smoke, quick or full."""
PORT = 5000
"""The port of MLflow's interface, if it is free."""
FIGURES = "figures"
"""The folder that figures are written to."""
FORM = "yaml"
"""The form that a configuration is exported in, where its file's ending says none."""
MARGIN = 1.0
"""Points within which two scores are called equivalent."""
