package dev.tollgate.core.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Parsed MP4 file with one track of H.264: the metadata, and the pictures as far as flat colours
 * can be decoded.
 */
public final class Mp4File {
  public final int width;
  public final int height;
  public final double seconds;
  public final List<Picture> pictures = new ArrayList<>();

  private final byte[] file;
  private final int blocks;

  /** Picture with its colour and display time. */
  public record Picture(boolean isKey, int y, int cb, int cr, double atSeconds) {}

  public Mp4File(byte[] file) {
    this.file = file;
    Mp4Box root = new Mp4Box(0, file.length);
    require(root.kinds().equals(List.of("ftyp", "moov", "mdat")), "boxes " + root.kinds());
    Mp4Box movie = root.child("moov");
    Mp4Box head = movie.child("mvhd");
    seconds = head.number(16) / (double) head.number(12);
    Mp4Box media = movie.child("trak").child("mdia");
    require(media.child("hdlr").text(8).equals("vide"), "no video");
    double unit = media.child("mdhd").number(12);
    require(media.child("mdhd").number(16) / unit == seconds, "lengths differ");
    Mp4Box track = movie.child("trak").child("tkhd");
    width = track.number(76) >> 16;
    height = track.number(80) >> 16;
    Mp4Box table = media.child("minf").child("stbl");
    Mp4Box entry = new Mp4Box(table.child("stsd").start + 16, table.child("stsd").end);
    require(entry.number(24) == ((width << 16) | height), "sizes differ");
    Mp4Box config = new Mp4Box(entry.start + 78, entry.end).child("avcC");
    int sequenceBytes = config.number(6) >>> 16;
    blocks = sequence(config.start + 8, sequenceBytes);
    samples(table, unit, root.child("mdat"));
  }

  /** Reads the sequence parameter set; returns the macroblocks per picture. */
  private int sequence(int from, int length) {
    BitReader bits = new BitReader(plain(from, length), 0);
    require(bits.bits(8) == 0x67 && bits.bits(8) == 66, "not baseline");
    bits.bits(16);
    require(bits.golomb() == 0, "another name");
    require(bits.golomb() == 0 && bits.golomb() == 2, "another order");
    require(bits.golomb() == 1 && bits.bits(1) == 0, "other references");
    int across = bits.golomb() + 1;
    int down = bits.golomb() + 1;
    require(bits.bits(2) == 3, "fields");
    int right = 0;
    int bottom = 0;
    if (bits.bits(1) == 1) {
      require(bits.golomb() == 0, "cut on the left");
      right = 2 * bits.golomb();
      require(bits.golomb() == 0, "cut above");
      bottom = 2 * bits.golomb();
    }
    require(bits.bits(1) == 0 && bits.isAtTrailer(), "more in the sequence's parameters");
    require(16 * across - right == width && 16 * down - bottom == height, "another size");
    return across * down;
  }

  private void samples(Mp4Box table, double unit, Mp4Box content) {
    Mp4Box sizes = table.child("stsz");
    Mp4Box times = table.child("stts");
    int at = table.child("stco").number(8);
    require(at == content.start, "pictures elsewhere");
    int step = 0;
    int left = 0;
    long ticks = 0;
    for (int n = 0; n < sizes.number(8); n++) {
      if (left == 0) {
        left = times.number(8 + 8 * step++);
      }
      picture(at, sizes.number(12 + 4 * n), ticks / unit);
      at += sizes.number(12 + 4 * n);
      ticks += times.number(4 + 8 * step);
      left--;
    }
    require(at == content.end && ticks / unit == seconds, "pictures and times end elsewhere");
    Mp4Box keys = table.child("stss");
    for (int k = 0; k < keys.number(4); k++) {
      require(pictures.get(keys.number(8 + 4 * k) - 1).isKey(), "not a key picture");
    }
  }

  private void picture(int at, int length, double seconds) {
    require(ByteBuffer.wrap(file).getInt(at) == length - 4, "another length of a unit");
    byte[] plain = plain(at + 4, length - 4);
    BitReader bits = new BitReader(plain, 1);
    require(bits.golomb() == 0, "not the first block");
    int kind = bits.golomb();
    require(bits.golomb() == 0, "other parameters");
    int number = (int) bits.bits(4);
    if (plain[0] == 0x41) {
      require(kind == 5 && number == 1 + (pictures.size() - 1) % 10, "out of order");
      require(bits.bits(3) == 0 && bits.golomb() == 0 && bits.golomb() == 1, "another head");
      require(bits.golomb() == blocks && bits.isAtTrailer(), "something changed");
      Picture before = pictures.getLast();
      pictures.add(new Picture(false, before.y(), before.cb(), before.cr(), seconds));
      return;
    }
    require(plain[0] == 0x65 && kind == 7 && number == 0, "no key picture");
    bits.golomb();
    require(bits.bits(2) == 0 && bits.golomb() == 0 && bits.golomb() == 1, "another head");
    require(bits.golomb() == 25, "its first block is coded");
    bits.align();
    int y = flat(bits, 256);
    int cb = flat(bits, 64);
    int cr = flat(bits, 64);
    for (int block = 1; block < blocks; block++) {
      require(bits.golomb() == 3 && bits.golomb() == 0 && bits.golomb() == 0, "another block");
      boolean isNextToFirst = block == 1 || block == Math.ceilDiv(width, 16);
      require(isNextToFirst ? bits.bits(6) == 3 : bits.bits(1) == 1, "something is left");
    }
    require(bits.isAtTrailer(), "more than all blocks");
    pictures.add(new Picture(true, y, cb, cr, seconds));
  }

  private static int flat(BitReader bits, int count) {
    int first = (int) bits.bits(8);
    for (int n = 1; n < count; n++) {
      require(bits.bits(8) == first, "not flat");
    }
    return first;
  }

  /** Returns a NAL unit without its escape bytes. */
  private byte[] plain(int from, int length) {
    var out = new ByteArrayOutputStream();
    int zeros = 0;
    for (int i = from; i < from + length; i++) {
      if (zeros == 2 && file[i] == 3) {
        zeros = 0;
        continue;
      }
      require(zeros < 2 || file[i] < 0 || file[i] > 2, "looks like a beginning");
      out.write(file[i]);
      zeros = file[i] == 0 ? zeros + 1 : 0;
    }
    return out.toByteArray();
  }

  /** Box between two offsets. */
  private final class Mp4Box {
    final int start;
    final int end;

    Mp4Box(int start, int end) {
      this.start = start;
      this.end = end;
    }

    int number(int offset) {
      return ByteBuffer.wrap(file).getInt(start + offset);
    }

    String text(int offset) {
      return new String(file, start + offset, 4, US_ASCII);
    }

    List<String> kinds() {
      List<String> kinds = new ArrayList<>();
      int at = 0;
      while (start + at < end) {
        kinds.add(text(at + 4));
        at += number(at);
      }
      require(start + at == end, "boxes end elsewhere");
      return kinds;
    }

    Mp4Box child(String kind) {
      for (int at = 0; start + at < end; at += number(at)) {
        if (text(at + 4).equals(kind)) {
          return new Mp4Box(start + at + 8, start + at + number(at));
        }
      }
      throw new AssertionError("no box " + kind);
    }
  }

  private static void require(boolean isSo, String otherwise) {
    if (!isSo) {
      throw new AssertionError(otherwise);
    }
  }
}
