package dev.tollgate.core.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.tollgate.core.json.InvalidJson.Reason;
import java.io.IOException;

/**
 * Reader with jackson-core, as a second opinion on the scanner: strict UTF-8 first (the parser is
 * lax there), no detection of other encodings, offsets of each member of the root.
 */
final class JsonReader {
  /** Canonical names stay on: without them the parser reads characters and every offset is -1. */
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .enable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(JsonLimits.DEPTH_MAX)
                  .maxNameLength(64 * JsonLimits.NAME_BYTES_MAX)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private final byte[] bytes;
  private final int from;
  private final JsonParser parser;
  private int deepest;

  private JsonReader(byte[] bytes, int from, JsonParser parser) {
    this.bytes = bytes;
    this.from = from;
    this.parser = parser;
  }

  /**
   * Reads the root object's members. If the parser refuses, the scanner decides: it gives the
   * reason, or accepts what the grammar allows but the parser does not, such as an unpaired
   * surrogate escaped in a name.
   */
  static void read(byte[] bytes, int from, int to, JsonMembers into) throws InvalidJson {
    checkEncoding(bytes, from, to);
    try {
      parse(bytes, from, to, into);
    } catch (IOException e) {
      into.read(bytes, from, to);
    }
  }

  /** Parses a document whose encoding was checked, with jackson-core alone. */
  static void parse(byte[] bytes, int from, int to, JsonMembers into)
      throws IOException, InvalidJson {
    try (JsonParser parser = FACTORY.createParser(bytes, from, to - from)) {
      new JsonReader(bytes, from, parser).document(into);
    }
  }

  /** The parser detects other encodings by a byte order mark or a zero among the first bytes. */
  static void checkEncoding(byte[] bytes, int from, int to) throws InvalidJson {
    int invalid = StrictUtf8.indexOfInvalid(bytes, from, to);
    if (invalid >= 0) {
      throw InvalidJson.malformed(invalid - from, "not UTF-8");
    }
    for (int i = from; i < Math.min(to, from + 4); i++) {
      if (bytes[i] == 0 || (i == from && bytes[i] == (byte) 0xef)) {
        throw InvalidJson.malformed(i - from, "no value begins like this");
      }
    }
  }

  private void document(JsonMembers into) throws IOException, InvalidJson {
    JsonToken root = parser.nextToken();
    if (root == null) {
      throw InvalidJson.malformed(0, "the document is empty");
    }
    int start = tokenStart();
    if (root == JsonToken.START_OBJECT) {
      into.begin(bytes, start);
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        member(into);
      }
      into.finish(tokenEnd());
    } else {
      skip(root, 1);
    }
    if (parser.nextToken() != null) {
      throw InvalidJson.malformed(tokenStart() - from, "content after the root value");
    }
    if (root != JsonToken.START_OBJECT) {
      throw new InvalidJson(Reason.NOT_AN_OBJECT, start - from, "the root is not an object");
    }
  }

  private void member(JsonMembers into) throws IOException, InvalidJson {
    int nameStart = tokenStart();
    if (into.size() == JsonLimits.ROOT_MEMBERS_MAX) {
      throw new InvalidJson(Reason.TOO_MANY_MEMBERS, nameStart - from, "too many members");
    }
    int nameEnd = nameEnd(nameStart);
    JsonToken first = parser.nextToken();
    int valueStart = tokenStart();
    deepest = 1;
    skip(first, 2);
    into.add(nameStart, nameEnd, valueStart, tokenEnd(), deepest);
  }

  /** Skips a value; jackson's own skipping returns neither the depth nor the names' length. */
  private void skip(JsonToken first, int firstDepth) throws IOException, InvalidJson {
    int depth = firstDepth - 1;
    JsonToken token = first;
    while (true) {
      if (token.isStructStart()) {
        deepest = Math.max(deepest, ++depth);
      } else if (token.isStructEnd()) {
        depth--;
      } else if (token == JsonToken.FIELD_NAME) {
        nameEnd(tokenStart());
      }
      if (depth < firstDepth) {
        return;
      }
      token = parser.nextToken();
    }
  }

  private int nameEnd(int nameStart) throws InvalidJson {
    int at = nameStart + 1;
    while (bytes[at] != '"') {
      at += bytes[at] == '\\' ? 2 : 1;
    }
    if (at - nameStart - 1 > JsonLimits.NAME_BYTES_MAX) {
      throw new InvalidJson(Reason.NAME_TOO_LONG, nameStart - from, "a name is too long");
    }
    return at + 1;
  }

  private int tokenStart() {
    return from + (int) parser.currentTokenLocation().getByteOffset();
  }

  private int tokenEnd() throws IOException {
    parser.finishToken();
    return from + (int) parser.currentLocation().getByteOffset();
  }
}
