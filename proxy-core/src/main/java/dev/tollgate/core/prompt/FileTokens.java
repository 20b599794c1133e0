package dev.tollgate.core.prompt;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.Locale;

/**
 * Guess of the tokens of a file inside a body, in base64 or as a {@code data:} URI. It reads a
 * sample of bounded size: where the sample is text, its density counts, and elsewhere the size.
 */
public final class FileTokens {
  private static final int WINDOWS = 16;
  private static final int WINDOW_CHARS = 2_048; // a multiple of 4, as base64 has it
  private static final int DIGITS_OF_A_GROUP = 4;
  private static final int TEXT_PER_CONTROL_LEAST = 50; // of random bytes, 8
  private static final int UNICODE_ESCAPE_BYTES = 6;
  private static final int HEAD_BYTES_MAX = 256;
  private static final String PDF = "JVBE"; // the beginning of %PDF
  private static final byte[] NOT_TEXT = {};

  private FileTokens() {}

  /** Returns the likely tokens of a file, given its JSON string without the quotation marks. */
  public static long likely(byte[] json, int from, int to) {
    String head = new String(json, from, Math.min(HEAD_BYTES_MAX, to - from), ISO_8859_1);
    int comma = head.regionMatches(true, 0, "data:", 0, 5) ? head.indexOf(',') : -1;
    String type = head.substring(0, Math.max(0, comma)).toLowerCase(Locale.ROOT);
    int start = from + comma + 1;
    long tokens =
        comma >= 0 && !type.endsWith(";base64")
            ? TextDensity.of(json, start, to).tokensOf(to - start)
            : isPdf(type, head.substring(comma + 1))
                ? (to - start) / PromptMedia.BYTES_PER_FILE_TOKEN
                : ofBase64(json, start, to);
    return Math.max(PromptMedia.TOKENS_PER_PAGE, tokens);
  }

  /** True for a document whose text is set in pages: what is readable in it is mostly marks. */
  private static boolean isPdf(String type, String content) {
    return content.startsWith(PDF) && (type.isEmpty() || type.contains("pdf"));
  }

  private static long ofBase64(byte[] json, int from, int to) {
    int length = to - from;
    int windows = Math.clamp(length / WINDOW_CHARS, 1, WINDOWS);
    int sampled = 0;
    double tokens = 0;
    for (int n = 0; n < windows; n++) {
      int offset = (int) ((long) length * n / windows);
      int start = from + offset / DIGITS_OF_A_GROUP * DIGITS_OF_A_GROUP;
      int end = Math.min(to, start + WINDOW_CHARS);
      tokens += ofWindow(json, start, end);
      sampled += end - start;
    }
    return sampled == 0 ? 0 : Math.round(tokens * length / sampled);
  }

  private static double ofWindow(byte[] json, int from, int to) {
    // Escapes shift the groups of four.
    for (int skipped = 0; skipped < DIGITS_OF_A_GROUP; skipped++) {
      byte[] text = text(json, from, to, skipped);
      if (text.length > 0) {
        return TextDensity.of(text, 0, text.length).tokensOf(text.length);
      }
    }
    return (double) (to - from) / PromptMedia.BYTES_PER_FILE_TOKEN;
  }

  /** Returns the text that is encoded, without the zero bytes of UTF-16; empty if it is none. */
  private static byte[] text(byte[] json, int from, int to, int skipped) {
    byte[] text = new byte[to - from];
    int length = 0;
    int zeros = 0;
    int controls = 0;
    int digits = -skipped;
    int bits = 0;
    for (int at = from; at < to; at += charBytes(json, at)) {
      int digit = digit(charAt(json, at, to));
      if (digit < 0 || digits++ < 0) {
        continue;
      }
      bits = bits << 6 | digit;
      if (digits % DIGITS_OF_A_GROUP != 1) {
        int octet = bits >> (6 - 2 * ((digits - 1) % DIGITS_OF_A_GROUP)) & 0xff;
        if (octet == 0) {
          zeros++;
        } else if (isOfText(octet)) {
          text[length++] = (byte) octet;
        } else {
          controls++;
        }
      }
    }
    boolean isText = zeros <= length + 1 && TEXT_PER_CONTROL_LEAST * controls <= length;
    return isText ? Arrays.copyOf(text, length) : NOT_TEXT;
  }

  private static boolean isOfText(int octet) {
    return octet >= ' ' ? octet != 0x7f : octet >= '\t' && octet <= '\r';
  }

  private static int charBytes(byte[] json, int at) {
    return json[at] != '\\' ? 1 : json[at + 1] == 'u' ? UNICODE_ESCAPE_BYTES : 2;
  }

  /** Returns the character at an offset; a line break, which base64 ignores, for other escapes. */
  private static int charAt(byte[] json, int at, int to) {
    if (json[at] != '\\') {
      return json[at];
    }
    if (json[at + 1] == 'u' && at + UNICODE_ESCAPE_BYTES <= to) {
      return Character.digit(json[at + 4], 16) << 4 | Character.digit(json[at + 5], 16);
    }
    return json[at + 1] == '/' ? '/' : '\n';
  }

  private static int digit(int c) {
    if (c >= 'A' && c <= 'Z') {
      return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
      return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
      return c - '0' + 52;
    }
    return switch (c) {
      case '+', '-' -> 62;
      case '/', '_' -> 63;
      default -> -1;
    };
  }
}
