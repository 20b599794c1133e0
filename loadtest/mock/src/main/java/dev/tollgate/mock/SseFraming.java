package dev.tollgate.mock;

/**
 * Line layout of the server-sent events in a reply; all layouts are equivalent to a correct reader.
 */
enum SseFraming {
  /** {@code data: …} and a blank line, as most providers send it. */
  USUAL {
    @Override
    String frame(String data, int n) {
      return "data: " + data + "\n\n";
    }
  },
  /** Unframed bytes that are not events. */
  RAW {
    @Override
    String frame(String data, int n) {
      return data;
    }
  },
  CRLF {
    @Override
    String frame(String data, int n) {
      return "data: " + data + "\r\n\r\n";
    }
  },
  CR {
    @Override
    String frame(String data, int n) {
      return "data: " + data + "\r\r";
    }
  },
  NO_SPACE {
    @Override
    String frame(String data, int n) {
      return "data:" + data + "\n\n";
    }
  },
  MULTI_LINE {
    @Override
    String frame(String data, int n) {
      int end = data.length() - 1;
      return data.startsWith("{")
          ? "data: {\ndata: " + data.substring(1, end) + "\ndata: }\n\n"
          : USUAL.frame(data, n);
    }
  },
  COMMENTS {
    @Override
    String frame(String data, int n) {
      return ": PROCESSING\n\n:\n: keep-alive\ndata: " + data + "\n\n";
    }
  },
  FIELDS {
    @Override
    String frame(String data, int n) {
      String first = n == 0 ? "\u00EF\u00BB\u00BF" : "";
      return "%sevent: message\nid: %d\nretry: 1000\nunknown: x\ndata: %s\n\n"
          .formatted(first, n, data);
    }
  },
  BLANKS {
    @Override
    String frame(String data, int n) {
      return "data: " + data + "\n\n\n\ndata:\n\n";
    }
  };

  /** Returns the n-th event as lines. */
  abstract String frame(String data, int n);
}
