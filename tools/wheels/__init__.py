"""Parts of tools/build-wheels."""
