"""The devices: listing this folder is the registry. Each package has `open_device(argument) -> Device`."""
