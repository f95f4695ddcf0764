"""What a vector is for covey: 256 float32 values of norm 1."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 256

Vector: TypeAlias = NDArray[np.float32]
