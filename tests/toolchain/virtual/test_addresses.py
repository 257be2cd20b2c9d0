import pytest

from cudamaster.toolchain.devices.virtual.addresses import require_addresses
from cudamaster.toolchain.errors import EnvironmentLacks


def test_too_little_address_space_is_what_the_machine_lacks_and_how_to_get_it_is_said() -> None:
    with pytest.raises(EnvironmentLacks, match=r"needs 4194304 GiB of address space .*ulimit -v unlimited"):
        require_addresses(1 << 52)


def test_this_machine_has_the_address_space_of_a_worker() -> None:
    require_addresses()
