from cudamaster.toolchain.devices.virtual.cost.hot_lines import hot_lines
from cudamaster.toolchain.devices.virtual.cost.l2_contents import L2Contents
from cudamaster.toolchain.devices.virtual.cost.model import ModelledLaunch, model_launch
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from tests.doubles.known_kernels import resources
from tests.doubles.sampled_launch import Touch, kernel_of, sampled

BODY = """
.loc 1 10 3
ld.global.f32 %f1, [%rd1];
.loc 1 11 3
fma.rn.f32 %f2, %f1, %f1, %f1;
.loc 2 99 3
add.f32 %f2, %f2, %f2;
.loc 1 12 3
st.global.f32 [%rd2], %f2;
ret;
"""


def modelled(touches: list[Touch]) -> ModelledLaunch:
    launch: SampledLaunch = sampled(kernel_of(BODY), grid=(100_000, 1, 1), block=(256, 1, 1), touches=touches)
    gpu = load_gpu("h200")
    return model_launch(launch, resources(), gpu, L2Contents(gpu.device.l2_bytes * 0.7))


def test_an_uncoalesced_load_is_the_hottest_line() -> None:
    hottest = hot_lines(modelled([Touch(32, 32, 32), Touch(4, 4, 1)]), {1})[0]
    assert hottest.line == 10
    assert hottest.share > 0.5
    assert hottest.why.startswith("global loads, 32.0 sectors/request")


def test_shares_are_part_of_the_whole() -> None:
    lines = hot_lines(modelled([Touch(4, 4), Touch(4, 4)]), {1})
    assert 0 < sum(hot.share for hot in lines) <= 1.0001


def test_lines_of_other_files_are_left_out() -> None:
    assert all(hot.line != 99 for hot in hot_lines(modelled([Touch(4, 4), Touch(4, 4)]), {1}))


def test_without_a_file_the_commonest_one_is_taken() -> None:
    assert hot_lines(modelled([Touch(4, 4), Touch(4, 4)]), None) == hot_lines(
        modelled([Touch(4, 4), Touch(4, 4)]), {1}
    )
