package dev.tollgate.core.json;

import java.util.Random;

/**
 * Random documents as people and programs write them: spaces, escapes, unusual numbers, all
 * scripts.
 */
public final class RandomJson {
  private static final String[] NUMBERS = {
    "0", "-0", "1", "12", "1.0", "1e5", "-1.5E-7", "1E+2", "9007199254740993", "0.10", "1e999"
  };
  private static final String[] SPACES = {"", "", "", " ", "\n", "\t", "\r\n  "};
  private static final String[] PIECES = {
    "a",
    "model",
    " ",
    "/",
    "\u0001\u0000",
    "\"",
    "\\",
    "\n",
    "é",
    "中文",
    "\uD83D\uDE00",
    "\u2028",
    "\uFFFF",
    "\u007f",
    "data: ",
    "{\"x\":[",
    "}],"
  };

  private RandomJson() {}

  /** Returns an object of up to twelve members, nested up to four times, with spaces around it. */
  static String document(Random random) {
    return space(random) + object(random, 4) + space(random);
  }

  public static String object(Random random, int depth) {
    StringBuilder json = new StringBuilder("{").append(space(random));
    int members = random.nextInt(depth * 3 + 1);
    for (int i = 0; i < members; i++) {
      json.append(i == 0 ? "" : "," + space(random));
      json.append(string(random, text(random, 3))).append(space(random)).append(':');
      json.append(space(random)).append(value(random, depth - 1)).append(space(random));
    }
    return json.append('}').toString();
  }

  public static String value(Random random, int depth) {
    return switch (random.nextInt(depth > 0 ? 9 : 6)) {
      case 0 -> "true";
      case 1 -> "false";
      case 2 -> "null";
      case 3 -> NUMBERS[random.nextInt(NUMBERS.length)];
      case 4, 5 -> string(random, text(random, 8));
      case 6 -> array(random, depth);
      default -> object(random, depth);
    };
  }

  /** Returns text without unpaired surrogates. */
  public static String text(Random random, int piecesMax) {
    StringBuilder text = new StringBuilder();
    int pieces = random.nextInt(piecesMax + 1);
    for (int i = 0; i < pieces; i++) {
      text.append(PIECES[random.nextInt(PIECES.length)]);
    }
    return text.toString();
  }

  /** Returns one of the many notations of a text. */
  public static String string(Random random, String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        json.append('\\').append(c);
      } else if (c == '\n' && random.nextBoolean()) {
        json.append("\\n");
      } else if (c == '/' && random.nextBoolean()) {
        json.append("\\/");
      } else if (c < 0x20 || (!Character.isSurrogate(c) && random.nextInt(8) == 0)) {
        json.append(String.format(random.nextBoolean() ? "\\u%04x" : "\\u%04X", (int) c));
      } else {
        json.append(c);
      }
    }
    return json.append('"').toString();
  }

  static String array(Random random, int depth) {
    StringBuilder json = new StringBuilder("[").append(space(random));
    int elements = random.nextInt(5);
    for (int i = 0; i < elements; i++) {
      json.append(i == 0 ? "" : "," + space(random));
      json.append(value(random, depth - 1)).append(space(random));
    }
    return json.append(']').toString();
  }

  private static String space(Random random) {
    return SPACES[random.nextInt(SPACES.length)];
  }
}
