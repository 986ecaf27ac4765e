"""Programs for those who work on foveal."""
