package dev.tollgate.server.control.route;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.UserId;
import java.util.Map;
import java.util.UUID;

/**
 * Values of a path's placeholders. What cannot be an id is refused as an object that is missing.
 */
public record PathArgs(Map<String, String> values) {
  private static final int UUID_CHARS = 36;

  public PathArgs {
    values = Map.copyOf(values);
  }

  public String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalStateException("the route has no placeholder " + name);
    }
    return value;
  }

  /**
   * Returns an id that is a UUID.
   *
   * @throws Refused 404 if it is none
   */
  public UUID uuid(String name) {
    String value = text(name);
    try {
      if (value.length() == UUID_CHARS) {
        return UUID.fromString(value);
      }
    } catch (IllegalArgumentException _) {
      // refused below
    }
    throw Refused.notFound();
  }

  /**
   * Returns the account of the path.
   *
   * @throws Refused 404 if it cannot be one
   */
  public UserId user() {
    return new UserId(uuid("user"));
  }

  /**
   * Returns the organization of the path.
   *
   * @throws Refused 404 if it cannot be one
   */
  public OrgId org() {
    return new OrgId(uuid("org"));
  }
}
