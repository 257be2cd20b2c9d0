"""The devices: listing this folder is the registry.

Each package has `open_device(argument: str | None) -> Device`, where the argument is what follows the colon
of `virtual:h200`, and `list_devices() -> tuple[ListedDevice, ...]`, its default first.
"""
