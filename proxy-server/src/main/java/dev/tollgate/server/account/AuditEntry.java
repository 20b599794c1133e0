package dev.tollgate.server.account;

import dev.tollgate.core.id.OrgId;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What was done, on what, and which fields changed how; who did it is the {@link Caller}.
 *
 * @param org organization in whose log it stands; null: in the platform's only
 */
public record AuditEntry(
    @Nullable OrgId org, AuditAction action, Target target, List<Change> changes) {

  /** Creates an entry without the fields that stayed as they were. */
  public AuditEntry {
    changes = changes.stream().filter(each -> !Objects.equals(each.from(), each.to())).toList();
  }

  /** Object of an action: its kind, such as {@code key}, its id and its name. */
  public record Target(String kind, String id, @Nullable String name) {}

  /**
   * Change of one field. Values are String, Number, Boolean, null or lists of those, and never
   * secret.
   */
  public record Change(String field, @Nullable Object from, @Nullable Object to) {}
}
