"""The commands of `foveal assess`, a file each."""
