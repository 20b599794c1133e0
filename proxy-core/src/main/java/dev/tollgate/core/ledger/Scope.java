package dev.tollgate.core.ledger;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.OrgId;

/**
 * Balance or budget that limits spending, of an organization or a key, with a row of its own in the
 * ledger store.
 *
 * @param id {@code org:<uuid>}, {@code orgm:<uuid>:2026-11}, {@code keyd:<lineage>:2026-11-20} or
 *     {@code keym:<lineage>:2026-11}
 */
public record Scope(ScopeKind kind, String id) implements Comparable<Scope> {

  public static Scope of(ScopeKind kind, OrgId org, KeyId lineage, Window window) {
    String owner =
        switch (kind) {
          case ORG, ORG_MONTH -> org.toString();
          case KEY_DAY, KEY_MONTH -> lineage.toString();
        };
    return new Scope(kind, kind.prefix() + ":" + owner + window.suffix(kind));
  }

  /** Returns the scope with an id of the ledger store. */
  public static Scope ofId(String id) {
    for (ScopeKind kind : ScopeKind.ALL) {
      if (id.startsWith(kind.prefix() + ":")) {
        return new Scope(kind, id);
      }
    }
    throw new IllegalArgumentException("not the id of a scope: " + id);
  }

  /** Compares by id, the order in which all transactions lock the rows. */
  @Override
  public int compareTo(Scope other) {
    return id.compareTo(other.id);
  }

  @Override
  public String toString() {
    return id;
  }
}
