"""Speed, measured: `python -m benchmarks` prints every figure beside its target."""
