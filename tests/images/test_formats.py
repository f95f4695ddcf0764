"""What a picture's bytes are, what of them is kept, and what is refused."""

import zlib
from io import BytesIO

import pytest
from PIL import Image, ImageCms

from tests.support.image_files import EXIF_ORIENTATION, file_of, image, photograph, shown
from wiki.images.formats import (
    MAX_PICTURE_BYTES,
    MAX_PIXELS,
    MAX_SIDE,
    BrokenPicture,
    NotAPicture,
    PictureTooLarge,
    SvgRefused,
    TooManyPixels,
    clean_picture,
    parts,
)
from wiki.images.formats.parts import MAX_PARTS
from wiki.models import PictureFormat

FRAMES = [image(seed=number) for number in range(3)]
MANY = {"save_all": True, "append_images": FRAMES[1:]}
PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
ZIP = b"PK\x03\x04 a whole archive"
FILES = {
    "png": file_of("PNG"),
    "png-palette": file_of("PNG", image().convert("P"), transparency=0),
    "png-grey": file_of("PNG", image().convert("LA")),
    "png-animated": file_of("PNG", **MANY),
    "png-profile": file_of("PNG", icc_profile=PROFILE, dpi=(300, 300)),
    "jpeg": file_of("JPEG"),
    "jpeg-progressive": file_of("JPEG", progressive=True),
    "jpeg-cmyk": file_of("JPEG", image().convert("CMYK")),
    "jpeg-profile": file_of("JPEG", icc_profile=PROFILE),
    "gif": file_of("GIF"),
    "gif-animated": file_of("GIF", FRAMES[0], loop=0, comment=b"secret", **MANY),
    "webp": file_of("WEBP"),
    "webp-lossless": file_of("WEBP", lossless=True),
    "webp-transparent": file_of("WEBP", image().convert("RGBA")),
    "webp-animated": file_of("WEBP", **MANY),
    "webp-profile": file_of("WEBP", icc_profile=PROFILE),
}
FORMATS = {
    "png": PictureFormat.PNG,
    "jpeg": PictureFormat.JPEG,
    "gif": PictureFormat.GIF,
    "webp": PictureFormat.WEBP,
}


@pytest.mark.parametrize("name", FILES)
def test_a_picture_keeps_every_pixel_of_every_frame(name):
    clean = clean_picture(FILES[name])
    assert clean.format == FORMATS[name.partition("-")[0]]
    assert (clean.width, clean.height) == (40, 30)
    assert shown(clean.data) == shown(FILES[name])


@pytest.mark.parametrize("name", FILES)
def test_cleaning_again_changes_nothing(name):
    clean = clean_picture(FILES[name])
    assert clean_picture(clean.data) == clean


@pytest.mark.parametrize("name", FILES)
def test_what_hangs_behind_the_end_is_left_out(name):
    assert clean_picture(FILES[name] + ZIP) == clean_picture(FILES[name])


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_was_cut_off_is_broken(name):
    data = clean_picture(FILES[name]).data
    for length in {len(data) - 1, len(data) // 2, 40}:
        with pytest.raises(BrokenPicture):
            clean_picture(data[:length])


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize(("orientation", "size"), [(1, (40, 30)), (3, (40, 30)), (6, (30, 40))])
def test_a_photograph_says_no_longer_where_it_was_taken_but_which_side_is_up(
    kind, orientation, size
):
    data = photograph(kind, orientation)
    assert b"Phonemaker" in data
    clean = clean_picture(data)
    assert b"Phonemaker" not in clean.data
    with Image.open(BytesIO(clean.data)) as opened:
        left = dict(opened.getexif())
    assert left == ({} if orientation == 1 else {EXIF_ORIENTATION: orientation})
    assert (clean.width, clean.height) == size
    assert shown(clean.data) == shown(data)
    assert clean_picture(clean.data) == clean


def png_chunk(kind, content):
    return len(content).to_bytes(4) + kind + content + zlib.crc32(kind + content).to_bytes(4)


def with_chunk(chunk):
    return FILES["png"][:33] + chunk + FILES["png"][33:]


def with_segment(marker, content):
    return (
        b"\xff\xd8\xff"
        + bytes([marker])
        + (len(content) + 2).to_bytes(2)
        + content
        + FILES["jpeg"][2:]
    )


@pytest.mark.parametrize(
    "data",
    [
        with_chunk(png_chunk(b"tEXt", b"Author\0secret")),
        with_chunk(png_chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0secret")),
        with_chunk(png_chunk(b"zTXt", b"x\0\0" + zlib.compress(b"secret" * 9_000_000))),
        with_chunk(png_chunk(b"prVt", b"secret")),
        with_segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<secret/>"),
        with_segment(0xED, b"Photoshop 3.0\0secret"),
        with_segment(0xE2, b"MPF\0secret"),
        with_segment(0xFE, b"secret"),
        with_segment(0xE0, b"JFXX\0secret"),
        FILES["gif-animated"],
        file_of("WEBP", xmp=b"<secret/>"),
    ],
    ids="text xmp bomb private jpeg-xmp iptc second-picture comment thumbnail gif-comment webp-xmp".split(),
)
def test_what_programs_wrote_into_it_is_left_out(data):
    clean = clean_picture(data)
    assert b"secret" not in clean.data
    assert len(clean.data) < len(data)
    assert shown(clean.data)


def test_an_animation_goes_on_for_ever():
    clean = clean_picture(FILES["gif-animated"])
    assert b"NETSCAPE2.0" in clean.data
    assert b"secret" not in clean.data


@pytest.mark.parametrize(
    ("data", "refusal"),
    [
        (b"", BrokenPicture),
        (b"%PDF-1.7", NotAPicture),
        (b"BM" + b"\0" * 60, NotAPicture),
        (b"\0\0\0\x18ftypheic" + b"\0" * 60, NotAPicture),
        (b"<!doctype html><script>alert(1)</script>", NotAPicture),
        (b"just words", NotAPicture),
        (b"\x89PNG\r\n\x1a\n", BrokenPicture),
        (b"\xff\xd8\xff\xd9", BrokenPicture),
        (b"\xff\xd8\xff\xff\xff\xff", BrokenPicture),
        (b"GIF89a", BrokenPicture),
        (b"GIF89a/*\0\0\0\0\0*/=1;alert(1)//;", BrokenPicture),
        (b"RIFF\0\0\0\0WEBP", BrokenPicture),
        (b"RIFF\x04\0\0\0WEBP", BrokenPicture),
        (FILES["png"].replace(b"IDAT", b"IDAU"), BrokenPicture),
        (FILES["png"][:33] + FILES["png"][8:], BrokenPicture),
        (b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', SvgRefused),
        (
            b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- x -->\n<!DOCTYPE svg>\n<svg '
            b'onload="alert(1)"/>',
            SvgRefused,
        ),
        ('<?xml version="1.0"?><svg/>'.encode("utf-16"), SvgRefused),
        (b'<s:svg xmlns:s="http://www.w3.org/2000/svg"/>', SvgRefused),
    ],
)
def test_what_is_no_sound_picture_is_refused_for_its_reason(data, refusal):
    with pytest.raises(refusal) as refused:
        clean_picture(data)
    assert str(refused.value).endswith(".")


def test_a_picture_that_is_a_script_too_is_kept_as_a_picture_alone():
    data = FILES["gif"][:-1] + b"\x21\xfe\x0d*/=alert(1)//\0" + b"\0;"
    with pytest.raises(BrokenPicture):
        clean_picture(data)
    clean = clean_picture(
        FILES["gif"][:-1] + b"\x21\xfe\x0e*/=alert(1)//;\0;<script>alert(1)</script>"
    )
    assert b"alert" not in clean.data


def wide_png(width, height):
    head = width.to_bytes(4) + height.to_bytes(4) + b"\x01\0\0\0\0"
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [
            png_chunk(b"IHDR", head),
            png_chunk(b"IDAT", zlib.compress(b"\0" * 100)),
            png_chunk(b"IEND", b""),
        ]
    )


def resized(name, at, width, height, order="little", length=2):
    data = bytearray(FILES[name])
    data[at : at + 2 * length] = width.to_bytes(length, order) + height.to_bytes(length, order)
    return bytes(data)


@pytest.mark.parametrize(
    "data",
    [
        wide_png(60_000, 60_000),
        wide_png(MAX_SIDE + 1, 1),
        wide_png(1, MAX_SIDE + 1),
        wide_png(MAX_PIXELS // 10_000 + 1, 10_000),
        resized("gif", 6, 60_000, 60_000),
        resized("gif", FILES["gif"].index(b"\x2c\0\0\0\0") + 5, 60_000, 60_000),
        resized("jpeg", FILES["jpeg"].index(b"\xff\xc0") + 5, 60_000, 60_000, "big"),
        resized("webp-animated", 24, 2**24 - 1, 2**24 - 1, length=3),
    ],
    ids="png wide high many gif gif-frame jpeg webp".split(),
)
def test_absurd_sizes_are_refused_before_anything_unfolds(data, monkeypatch):
    monkeypatch.setattr(Image, "open", lambda *args, **more: pytest.fail("It was opened."))
    with pytest.raises(TooManyPixels):
        clean_picture(data)


def test_the_largest_size_is_taken():
    assert clean_picture(wide_png(MAX_SIDE, 1)).width == MAX_SIDE
    assert clean_picture(wide_png(10_000, MAX_PIXELS // 10_000)).height == MAX_PIXELS // 10_000


def test_five_mebibytes_are_taken_and_one_byte_more_is_not():
    room = MAX_PICTURE_BYTES - len(FILES["png"]) - 12
    exact = FILES["png"][:-12] + png_chunk(b"IDAT", b"x" * room) + FILES["png"][-12:]
    assert len(exact) == MAX_PICTURE_BYTES
    assert len(clean_picture(exact).data) == MAX_PICTURE_BYTES
    with pytest.raises(PictureTooLarge, match=r"5\.1 MiB"):
        clean_picture(exact + b"x")


@pytest.mark.parametrize("name", FILES)
def test_no_flipped_byte_makes_anything_but_a_picture_or_a_refusal(name):
    data = FILES[name]
    for position in range(0, min(len(data), 700), 7):
        spoiled = bytearray(data)
        spoiled[position] ^= 0xFF
        try:
            clean = clean_picture(bytes(spoiled))
        except (BrokenPicture, NotAPicture, TooManyPixels):
            continue
        assert clean_picture(clean.data) == clean


def jpeg_segment(marker: int, content: bytes) -> bytes:
    return bytes([0xFF, marker]) + (len(content) + 2).to_bytes(2) + content


def webp_chunk(kind: bytes, content: bytes) -> bytes:
    return kind + len(content).to_bytes(4, "little") + content


def in_webp(more: bytes) -> bytes:
    content = FILES["webp"][8:] + more
    return b"RIFF" + len(content).to_bytes(4, "little") + content


# EXIF that announces 65,535 entries and has none.
BOASTING = b"II*\0\x08\0\0\0\xff\xff"
# A file with so many more segments, chunks or blocks, each as small as it can be.
IN_PIECES = {
    "jpeg": lambda count: FILES["jpeg"][:2] + jpeg_segment(0xFE, b"") * count + FILES["jpeg"][2:],
    "jpeg-tables": lambda count: (
        FILES["jpeg"][:2] + jpeg_segment(0xDB, b"") * count + FILES["jpeg"][2:]
    ),
    "jpeg-exif": lambda count: (
        FILES["jpeg"][:2] + jpeg_segment(0xE1, b"Exif\0\0" + BOASTING) * count + FILES["jpeg"][2:]
    ),
    "png": lambda count: FILES["png"][:33] + png_chunk(b"IDAT", b"") * count + FILES["png"][33:],
    "png-exif": lambda count: (
        FILES["png"][:33] + png_chunk(b"eXIf", BOASTING) * count + FILES["png"][33:]
    ),
    "gif": lambda count: FILES["gif"][:-1] + b"\x21\xfe\0" * count + b";",
    "webp": lambda count: in_webp(webp_chunk(b"ANMF", b"") * count),
    "webp-exif": lambda count: in_webp(webp_chunk(b"EXIF", BOASTING) * count),
}


@pytest.mark.parametrize("kind", IN_PIECES)
def test_a_picture_in_more_pieces_than_any_program_makes_is_broken(kind):
    with pytest.raises(BrokenPicture):
        clean_picture(IN_PIECES[kind](MAX_PARTS))


@pytest.mark.parametrize("kind", ["jpeg-exif", "png-exif", "webp-exif"])
def test_exif_costs_no_more_than_the_bytes_that_are_there(kind, monkeypatch):
    """One segment is read, and in it nothing behind its end."""
    steps = []
    monkeypatch.setattr(
        parts, "range", lambda *bounds: steps.append(range(*bounds)) or steps[-1], raising=False
    )
    clean_picture(IN_PIECES[kind](100))
    assert [len(step) for step in steps] == [0]


def test_the_first_exif_says_which_side_is_up():
    upright, lying = (
        jpeg_segment(0xE1, b"Exif\0\0" + parts.write_orientation(number)) for number in (1, 6)
    )
    plain = FILES["jpeg"]
    assert clean_picture(plain[:2] + upright + lying + plain[2:]).width == 40
    assert clean_picture(plain[:2] + lying + upright + plain[2:]).width == 30
