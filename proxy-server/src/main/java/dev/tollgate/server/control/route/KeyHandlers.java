package dev.tollgate.server.control.route;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.tenant.KeyPatch;
import dev.tollgate.server.account.tenant.KeyQuery;
import dev.tollgate.server.account.tenant.KeyQuery.KeyList;
import dev.tollgate.server.account.tenant.KeyQuery.KeySort;
import dev.tollgate.server.account.tenant.KeyService;
import dev.tollgate.server.account.tenant.KeyView;
import dev.tollgate.server.account.tenant.NewKeyFields;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handlers of the calls of an organization's API keys. */
public final class KeyHandlers {
  private KeyHandlers() {}

  /**
   * Query of a list of keys.
   *
   * @param createdBy a person's id, or such as {@code token:…}
   * @param q the begin of the name, the id or the last four characters
   */
  record KeyFilters(
      @OneOf(KeyView.State.class) List<String> state,
      @Nullable String createdBy,
      @Nullable String q,
      @Nullable KeySort sort,
      PageRequest page) {
    KeyQuery query() {
      String maker = createdBy == null || createdBy.contains(":") ? createdBy : "user:" + createdBy;
      return new KeyQuery(state, maker, q, sort == null ? KeySort.CREATED : sort);
    }
  }

  /** Page of a list of keys, with the number of those that match and of those that may be. */
  record KeyPage(List<KeyView> data, long total, int max, @Nullable String nextCursor) {}

  /** Why a key is revoked. */
  record Revocation(@Nullable String reason) {}

  public static void add(Handlers.Builder handlers, KeyService keys) {
    handlers
        .replies(Route.KEYS, call -> list(call, keys))
        .replies(
            Route.KEY_CREATE,
            call -> keys.create(call.org(), call.body(NewKeyFields.class), call.claim()))
        .replies(Route.KEY, call -> keys.get(call.org(), id(call)))
        .replies(Route.KEY_CHANGE, call -> change(call, keys))
        .replies(Route.KEY_ROTATE, call -> keys.rotate(call.org(), id(call)))
        .replies(Route.KEY_DISABLE, call -> keys.disable(call.org(), id(call)))
        .replies(Route.KEY_ENABLE, call -> keys.enable(call.org(), id(call)))
        .replies(
            Route.KEY_REVOKE,
            call -> keys.revoke(call.org(), id(call), call.body(Revocation.class).reason()));
  }

  private static KeyId id(ControlRequest call) {
    return new KeyId(call.path().text("key"));
  }

  private static KeyPage list(ControlRequest call, KeyService keys) throws SQLException {
    KeyFilters filters = call.query(KeyFilters.class);
    PageRequest page = filters.page();
    KeyList list = keys.list(call.org(), filters.query(), page.part());
    return new KeyPage(list.data(), list.total(), list.max(), page.nextOrNull(list.next()));
  }

  private static KeyView change(ControlRequest call, KeyService keys) throws SQLException {
    KeyPatch patch = call.body(KeyPatch.class);
    return keys.change(call.org(), id(call), patch, call.meta().expectedVersion());
  }
}
