package dev.tollgate.core.json;

/**
 * Limits of nesting and size beyond which a JSON document is refused
 * (docs/decisions/requests.md#bodies).
 */
public final class JsonLimits {
  /** Largest nesting anywhere, with the root as 1; outside of tool schemas the limit is 64. */
  public static final int DEPTH_MAX = 200;

  /** Largest nesting outside of tool schemas, checked by the reader of the request. */
  public static final int PLAIN_DEPTH_MAX = 64;

  public static final int NAME_BYTES_MAX = 1_024;
  public static final int ROOT_MEMBERS_MAX = 256;

  /**
   * Largest number of members or elements of one list that are read: each costs many times the
   * bytes of its shortest text.
   */
  public static final int ITEMS_MAX = 65_536;

  private JsonLimits() {}
}
