package dev.tollgate.mock;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Encoder for the mock provider's PNG images, with stripes in two colours of a palette of 256. Rows
 * are compressed one by one, so that a large image needs no memory beyond its file.
 */
final class Png {
  /** Longest supported side, in pixels. */
  static final int SIDE_MAX = 4_096;

  private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  private static final int COLOURS = 256;
  private static final int BITS = 8;
  private static final int PALETTE = 3;
  private static final int STRIPE_PIXELS = 32;

  private Png() {}

  /**
   * Returns the encoded file.
   *
   * @param kind selects the colours
   */
  static byte[] of(int width, int height, long kind) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(SIGNATURE);
    ByteBuffer head = ByteBuffer.allocate(13).putInt(width).putInt(height);
    chunk(out, "IHDR", head.put((byte) BITS).put((byte) PALETTE).array());
    chunk(out, "PLTE", palette(kind));
    chunk(out, "IDAT", packed(width, height, Math.floorMod(kind, STRIPE_PIXELS)));
    chunk(out, "IEND", new byte[0]);
    return out.toByteArray();
  }

  /** Returns a palette from black over a colour to white. */
  private static byte[] palette(long kind) {
    byte[] palette = new byte[3 * COLOURS];
    for (int n = 0; n < COLOURS; n++) {
      for (int channel = 0; channel < 3; channel++) {
        int weight = 1 + Math.floorMod(kind >> (4 * channel), 15);
        palette[3 * n + channel] = (byte) Math.min(COLOURS - 1, n * weight / 8);
      }
    }
    return palette;
  }

  private static byte[] packed(int width, int height, int shift) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    try {
      byte[] row = new byte[1 + width]; // the first byte is the row's filter: none
      byte[] some = new byte[8 * 1024];
      for (int y = 0; y <= height; y++) {
        if (y == height) {
          deflater.finish();
        } else {
          draw(row, y, shift);
          deflater.setInput(row);
        }
        while (y == height ? !deflater.finished() : !deflater.needsInput()) {
          out.write(some, 0, deflater.deflate(some));
        }
      }
      return out.toByteArray();
    } finally {
      deflater.end();
    }
  }

  private static void draw(byte[] row, int y, int shift) {
    for (int x = 1; x < row.length; x++) {
      int stripe = (x + y + shift) / STRIPE_PIXELS;
      row[x] = (byte) (stripe % 2 == 0 ? 64 : 192);
    }
  }

  private static void chunk(ByteArrayOutputStream out, String type, byte[] content) {
    byte[] name = type.getBytes(StandardCharsets.US_ASCII);
    CRC32 sum = new CRC32();
    sum.update(name);
    sum.update(content);
    out.writeBytes(ByteBuffer.allocate(4).putInt(content.length).array());
    out.writeBytes(name);
    out.writeBytes(content);
    out.writeBytes(ByteBuffer.allocate(4).putInt((int) sum.getValue()).array());
  }
}
