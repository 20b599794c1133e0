package dev.tollgate.core.tenant;

import dev.tollgate.core.id.KeyId;
import java.security.SecureRandom;

/**
 * Text of an API key: {@code sk-llm-}, the 8-character key id, at least 32 random base62 characters
 * and a 6-character checksum of everything before it (docs/decisions/keys.md#text). With the
 * checksum a malformed text is refused without a lookup, and secret scanners can tell a leaked key
 * from noise.
 */
public final class ApiKeyText {
  public static final String PREFIX = "sk-llm-";
  private static final ChecksummedText FORMAT = new ChecksummedText(PREFIX, 32);

  private ApiKeyText() {}

  /** Result of parsing. */
  public sealed interface ParsedKey {}

  /** A well-formed key, which may not exist. */
  public record ValidKey(KeyId keyId, String text) implements ParsedKey {
    public KeyHash hash() {
      return KeyHash.of(text);
    }

    public String lastFour() {
      return text.substring(text.length() - 4);
    }

    /** Returns a form without the secret. */
    @Override
    public String toString() {
      return PREFIX + keyId + "…" + lastFour();
    }
  }

  /** Any other text. */
  public record MalformedKey() implements ParsedKey {}

  private static final MalformedKey MALFORMED = new MalformedKey();

  /** Makes a new key of 190 random bits. */
  public static ValidKey generate(SecureRandom random) {
    return valid(FORMAT.generate(random));
  }

  /** Reads a text that a client or an operator presented. */
  public static ParsedKey parse(String text) {
    return FORMAT.isWellFormed(text) ? valid(text) : MALFORMED;
  }

  private static ValidKey valid(String text) {
    return new ValidKey(new KeyId(FORMAT.idIn(text)), text);
  }
}
