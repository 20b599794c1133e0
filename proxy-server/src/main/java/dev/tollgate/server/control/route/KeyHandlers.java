package dev.tollgate.server.control.route;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.tenant.KeyPatch;
import dev.tollgate.server.account.tenant.KeyQuery;
import dev.tollgate.server.account.tenant.KeyQuery.KeyList;
import dev.tollgate.server.account.tenant.KeyQuery.KeySort;
import dev.tollgate.server.account.tenant.KeyService;
import dev.tollgate.server.account.tenant.KeyService.NewKey;
import dev.tollgate.server.account.tenant.KeyService.RotatedKey;
import dev.tollgate.server.account.tenant.KeyView;
import dev.tollgate.server.account.tenant.NewKeyFields;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handlers of the calls of an organization's API keys. */
public final class KeyHandlers {
  private final KeyService keys;

  private KeyHandlers(KeyService keys) {
    this.keys = keys;
  }

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
    var calls = new KeyHandlers(keys);
    handlers
        .on(Route.KEYS, calls::list)
        .on(Route.KEY_CREATE, calls::create)
        .on(Route.KEY, call -> shown(keys.get(call.org(), id(call))))
        .on(Route.KEY_CHANGE, calls::change)
        .on(Route.KEY_ROTATE, calls::rotate)
        .on(Route.KEY_DISABLE, call -> shown(keys.disable(call.org(), id(call))))
        .on(Route.KEY_ENABLE, call -> shown(keys.enable(call.org(), id(call))))
        .on(Route.KEY_REVOKE, calls::revoke);
  }

  private static KeyId id(ControlRequest call) {
    return new KeyId(call.path().text("key"));
  }

  private static ControlReply shown(KeyView key) {
    return ControlReply.versioned(key, key.version());
  }

  private ControlReply list(ControlRequest call) throws SQLException {
    KeyFilters filters = call.query(KeyFilters.class);
    PageRequest page = filters.page();
    KeyList list = keys.list(call.org(), filters.query(), page.part());
    return ControlReply.ok(
        new KeyPage(list.data(), list.total(), list.max(), page.nextOrNull(list.next())));
  }

  private ControlReply create(ControlRequest call) throws SQLException {
    NewKey made = keys.create(call.org(), call.body(NewKeyFields.class), call.claim());
    return new ControlReply.Json(201, made, made.key().version(), List.of());
  }

  private ControlReply change(ControlRequest call) throws SQLException {
    KeyPatch patch = call.body(KeyPatch.class);
    return shown(keys.change(call.org(), id(call), patch, call.meta().expectedVersion()));
  }

  private ControlReply rotate(ControlRequest call) throws SQLException {
    RotatedKey rotated = keys.rotate(call.org(), id(call));
    return ControlReply.versioned(rotated, rotated.key().version());
  }

  private ControlReply revoke(ControlRequest call) throws SQLException {
    String reason = call.body(Revocation.class).reason();
    return shown(keys.revoke(call.org(), id(call), reason));
  }
}
