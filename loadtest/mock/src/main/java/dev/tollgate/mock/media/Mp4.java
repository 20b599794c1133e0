package dev.tollgate.mock.media;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.tollgate.mock.media.H264.Colour;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * MP4 encoder with one {@link H264} track: ten pictures per second, a new colour each second. The
 * metadata precedes the pictures, so that players can stream the file.
 */
public final class Mp4 {
  private static final int TICKS_PER_SECOND = 1_000;
  private static final int PICTURE_TICKS = 100;
  private static final int PICTURES_PER_KEY = 10;
  private static final int LENGTH_BYTES = 4;
  private static final int[] UNITY = {0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000};

  private final VideoSize videoSize;
  private final int ticks;
  private final H264 coder;
  private final List<byte[]> pictures = new ArrayList<>();

  private Mp4(Duration length, VideoSize videoSize, long kind) {
    this.videoSize = videoSize;
    this.ticks = Math.max(PICTURE_TICKS, Math.toIntExact(length.toMillis()));
    this.coder = new H264(videoSize);
    int count = Math.ceilDiv(ticks, PICTURE_TICKS);
    for (int n = 0; n < count; n++) {
      int distance = n % PICTURES_PER_KEY;
      int key = n / PICTURES_PER_KEY;
      pictures.add(
          distance == 0
              ? coder.keyPicture(colour(kind + key), key)
              : coder.unchangedPicture(distance));
    }
  }

  /**
   * Encodes a file.
   *
   * @param kind selects the colours
   */
  public static byte[] of(Duration length, VideoSize videoSize, long kind) {
    return new Mp4(length, videoSize, kind).file();
  }

  private static Colour colour(long kind) {
    int hue = Math.floorMod(kind * 67, 180);
    return new Colour(80 + hue / 2, 40 + hue, 220 - hue);
  }

  private byte[] file() {
    byte[] type =
        box("ftyp", "isom".getBytes(US_ASCII), ints(0x200), "isomavc1".getBytes(US_ASCII));
    int firstPicture = type.length + movie(0).length + 8;
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(type);
    file.writeBytes(movie(firstPicture));
    int bytes = 8;
    for (byte[] picture : pictures) {
      bytes += LENGTH_BYTES + picture.length;
    }
    file.writeBytes(ints(bytes));
    file.writeBytes("mdat".getBytes(US_ASCII));
    for (byte[] picture : pictures) {
      file.writeBytes(ints(picture.length));
      file.writeBytes(picture);
    }
    return file.toByteArray();
  }

  private byte[] movie(int firstPicture) {
    byte[] head =
        box(
            "mvhd",
            ints(0, 0, 0, TICKS_PER_SECOND, ticks, 0x10000, 0x1000000, 0, 0),
            ints(UNITY),
            ints(0, 0, 0, 0, 0, 0, 2));
    return box("moov", head, box("trak", trackHead(), media(firstPicture)));
  }

  private byte[] trackHead() {
    return box(
        "tkhd",
        ints(3, 0, 0, 1, 0, ticks, 0, 0, 0, 0),
        ints(UNITY),
        ints(videoSize.width() << 16, videoSize.height() << 16));
  }

  private byte[] media(int firstPicture) {
    int undetermined = 0x55c40000;
    byte[] head = box("mdhd", ints(0, 0, 0, TICKS_PER_SECOND, ticks, undetermined));
    byte[] kind = box("hdlr", ints(0, 0), "vide".getBytes(US_ASCII), ints(0, 0, 0), new byte[] {0});
    byte[] here = box("dinf", box("dref", ints(0, 1), box("url ", ints(1))));
    byte[] show = box("vmhd", ints(1, 0, 0));
    return box("mdia", head, kind, box("minf", show, here, table(firstPicture)));
  }

  /** Returns the sample table: durations, key pictures, sizes and offsets. */
  private byte[] table(int firstPicture) {
    int count = pictures.size();
    int last = ticks - (count - 1) * PICTURE_TICKS;
    byte[] times = count == 1 ? ints(0, 1, 1, last) : ints(0, 2, count - 1, PICTURE_TICKS, 1, last);
    int keys = Math.ceilDiv(count, PICTURES_PER_KEY);
    ByteBuffer keyNumbers = ByteBuffer.allocate(4 * keys);
    for (int key = 0; key < keys; key++) {
      keyNumbers.putInt(1 + key * PICTURES_PER_KEY);
    }
    ByteBuffer sizes = ByteBuffer.allocate(4 * count);
    pictures.forEach(picture -> sizes.putInt(LENGTH_BYTES + picture.length));
    return box(
        "stbl",
        box("stsd", ints(0, 1), entry()),
        box("stts", times),
        box("stss", ints(0, keys), keyNumbers.array()),
        box("stsc", ints(0, 1, 1, count, 1)),
        box("stsz", ints(0, 0, count), sizes.array()),
        box("stco", ints(0, 1, firstPicture)));
  }

  /** Returns the sample entry with the codec parameters. */
  private byte[] entry() {
    byte[] sequence = coder.sequence();
    byte[] picture = coder.picture();
    ByteBuffer config = ByteBuffer.allocate(11 + sequence.length + picture.length);
    config.put((byte) 1).put(sequence, 1, 3).put((byte) (0xfc | (LENGTH_BYTES - 1)));
    config.put((byte) 0xe1).putShort((short) sequence.length).put(sequence);
    config.put((byte) 1).putShort((short) picture.length).put(picture);
    int size = (videoSize.width() << 16) | videoSize.height();
    byte[] name = new byte[32];
    byte[] depth = {0, 24, -1, -1};
    return box(
        "avc1",
        ints(0, 1, 0, 0, 0, 0, size, 0x480000, 0x480000, 0),
        new byte[] {0, 1},
        name,
        depth,
        box("avcC", config.array()));
  }

  private static byte[] ints(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(4 * values.length);
    for (int value : values) {
      bytes.putInt(value);
    }
    return bytes.array();
  }

  private static byte[] box(String name, byte[]... parts) {
    int length = 8;
    for (byte[] part : parts) {
      length += part.length;
    }
    ByteBuffer box = ByteBuffer.allocate(length).putInt(length).put(name.getBytes(US_ASCII));
    for (byte[] part : parts) {
      box.put(part);
    }
    return box.array();
  }
}
