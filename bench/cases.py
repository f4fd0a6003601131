"""The timed cases: what each is, its model, and how much work it does."""
import math
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Case:
    title: str
    model: str  # of examples/, or a path below the checkout that ends in .yaml
    kind: str = "packets"  # what is timed: packets, jumps, rays, levels
    cpu: float = 0  # packets per CPU thread (jumps: in all)
    gpu: float = 0  # packets on a GPU
    settings: tuple = ()
    on_gpu: tuple = ()  # settings there, to give it enough to do
    gpu_only: bool = False  # unless it is asked for by name


def spiral(n):
    """Directions spread evenly over the sphere."""
    heights = [1 - (2 * i + 1) / n for i in range(n)]
    turns = [2.399963 * i for i in range(n)]
    return ["[%.6f, %.6f, %.6f]" % (math.sqrt(1 - z * z) * math.cos(t), math.sqrt(1 - z * z) * math.sin(t), z)
            for z, t in zip(heights, turns)]


def cameras(n):
    """n cameras of 32 pixels with 64 channels that cover the line of the box; more than eight stand all around."""
    directions = ["+x", "-x", "+y", "-y", "+z", "-z", "[1, 1, 1]", "[1, 2, 3]"][-n:] if n <= 8 else spiral(n)
    chosen = ", ".join("{direction: %s, pixels: 32}" % direction for direction in directions)
    return ("channels={number: 64, range: [-7.7 km/s, 7.7 km/s]}", "image={spectrum: false}", "cameras=[%s]" % chosen)


def deep(depth):
    """Lyman alpha at 1e4 K in a slab, with jumps."""
    return ("medium.damping=4.717e-4", "medium.tau_absorption=0", "medium.tau_centre=%s" % depth,
            "physics.acceleration=jumps", "output.fields=false")


BOX = Case("box: 32^3 cells, line-centre optical depth 1000 across (`examples/box.yaml`)", "box", cpu=1e5, gpu=1e7)
DUSTY = Case("dusty slab: few, long histories (`examples/dusty_slab.yaml`)", "dusty_slab", cpu=2e2, gpu=2e4)
DEEP = Case("slab, line-centre depth 1e7", "dusty_slab", "jumps", 1e4, 1e5, deep("1e7"))
MOVING = Case("moving clumps, 64^3 cells on a CPU, 128^3 on a GPU, all different (`bench/moving.yaml`)",
              "bench/moving.yaml", cpu=5e4, gpu=5e6, on_gpu=("mesh.cells=[128, 128, 128]",))
RAYS = Case("thermal clumps, plain cells (`bench/clumps.yaml`)", "bench/clumps.yaml", "rays",
            on_gpu=("mesh.cells=[256, 256, 256]", "cameras.0.pixels=1024", "channels.number=64"))
LEVELS = Case("moving cloud, 32^3 cells, 11 levels, 16 directions (`bench/cloud_levels.yaml`)",
              "bench/cloud_levels.yaml", "levels", settings=("populations.directions=16",))

CASES = {
    "box": BOX,
    "box_static": replace(BOX, title="box, one thread per packet instead of a queue",
                          settings=("run.scheduling=static",)),
    "box_auto": replace(BOX, title="box, `acceleration: auto`: too thin for jumps",
                        settings=("physics.acceleration=auto",)),
    "box_no_fields": replace(BOX, title="box, without mean intensities per cell", settings=("output.fields=false",)),
    "box_dipole": replace(BOX, title="box, dipole scattering", settings=("physics.phase=dipole",)),
    "box_table_global": replace(BOX, title="box, `table-global`", cpu=2e4, gpu=2e6,
                                settings=("physics.redistribution=table-global",)),
    "box_table_constant": replace(BOX, title="box, `table-constant`", cpu=2e4, gpu=2e6,
                                  settings=("physics.redistribution=table-constant",)),
    "slab_2000": Case("slab, mean optical depth 2000 (`examples/neufeld_slab.yaml`)", "neufeld_slab", cpu=2e4, gpu=2e6),
    "slab_32000": Case("slab, mean optical depth 32000", "neufeld_slab", cpu=1e3, gpu=4e5,
                       settings=("medium.tau_mean=32000",)),
    "dusty_slab": DUSTY,
    "dusty_slab_2e3": replace(DUSTY, title="dusty slab, 2000 packets", gpu=2e3, gpu_only=True),
    "dusty_slab_2e5": replace(DUSTY, title="dusty slab, 2e5 packets", gpu=2e5, gpu_only=True),
    "sphere": Case("sphere (`examples/sphere.yaml`)", "sphere", cpu=2e3, gpu=2e5),
    "shells": Case("sphere of 64 shells, line-centre optical depth 1000 (`bench/shells.yaml`)", "bench/shells.yaml",
                   cpu=5e4, gpu=5e6),
    "moving": MOVING,
    "moving_dusty": replace(MOVING, title="the same with absorption", settings=("medium.tau_absorption=1",)),
    "refined": Case("sphere on a refined mesh, 16^3 cells and two levels (`bench/refined.yaml`)", "bench/refined.yaml",
                    cpu=2e4, gpu=2e6),
    "box_image": replace(BOX, title="box with one camera, 64 channels", settings=cameras(1)),
    "box_8_images": replace(BOX, title="box with eight cameras, 64 channels", cpu=2e4, settings=cameras(8)),
    "box_64_images": replace(BOX, title="box with 64 cameras, 64 channels", cpu=5e3, settings=cameras(64)),
    "deep_1e7": DEEP,
    "deep_1e9": replace(DEEP, title="slab, line-centre depth 1e9", settings=deep("1e9")),
    "trace": RAYS,
    "trace_subcell": replace(RAYS, title="thermal clumps, velocity and source linear inside cells",
                             settings=("image.subcell=true",)),
    "trace_oblique": replace(RAYS, title="thermal clumps, plain cells, view along (1, 2, 3)",
                             settings=("cameras.0.direction=[1, 2, 3]",)),
    "levels_32": LEVELS,
    "levels_128": replace(LEVELS, title="moving cloud, 128^3 cells, 192 directions", gpu_only=True,
                          settings=("mesh.cells=[128, 128, 128]",)),
}
