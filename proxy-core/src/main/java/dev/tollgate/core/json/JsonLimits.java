package dev.tollgate.core.json;

/** The sizes beyond which a document is refused (docs/decisions/requests.md#bodies). */
public final class JsonLimits {
  /** Nesting anywhere, the root counting as 1; what lies outside of tool schemas has 64. */
  public static final int DEPTH_MAX = 200;

  /** Nesting outside of tool schemas: the reader of the request checks it. */
  public static final int PLAIN_DEPTH_MAX = 64;

  public static final int NAME_BYTES_MAX = 1_024;
  public static final int ROOT_MEMBERS_MAX = 256;

  /** Members or elements of one list that are read: each costs many times its shortest text. */
  public static final int ITEMS_MAX = 65_536;

  private JsonLimits() {}
}
