"""The defaults that a user meets, each written once, for the library and the command line alike.

Hyperparameters have theirs in `config`: they belong to a configuration, not to a call.
"""

from typing import Final

SPACE = "paper"
"""The space that is searched."""
TRIALS = 100
"""Configurations per search, where its space states no budget."""
SEEDS = 20
"""Seeds per configuration, as in the paper."""
CONFIRM = 20
"""Fresh seeds on which the best configuration is trained again."""
TIES = 4
"""How many configurations that tie with the best are confirmed beside it, at the most."""
SAMPLER: Final = "tpe"
"""Who proposes configurations."""
SAMPLER_SEED = 0
"""The seed of the sampler."""
CPUS_PER_TRIAL = 1
"""Threads per trial."""
GPUS_PER_TRIAL = 0.0
"""GPUs reserved per trial."""
MEMORY_GB = 4.0
"""Memory per trial, which bounds how many seeds train at once."""
THREADS = 1
"""Threads of a training in this process."""
NODE_SEEDS = 5
"""Seeds over which one node's posterior is averaged."""
BUDGET = "quick"
"""How much of the paper's protocol its tables and figures take."""
PORT = 5000
"""The port of MLflow's interface, if it is free."""
FIGURES = "figures"
"""The folder that figures are written to."""
