package dev.tollgate.server.control.route;

import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.control.route.RouteSpec.Audience;
import dev.tollgate.server.control.route.RouteSpec.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builder of a {@link RouteSpec}, written as one sentence in the table of routes. */
public final class RouteDraft {
  private final List<String> ids;
  private final Method method;
  private final String template;
  private Audience audience = Audience.PUBLIC;
  private @Nullable Permission permission;
  private boolean needsActive;
  private boolean needsProof;
  private boolean creates;
  private boolean finds;
  private @Nullable Class<? extends Record> query;
  private @Nullable Class<? extends Record> body;
  private int status = 200;
  private @Nullable Class<?> reply;
  private boolean isList;
  private boolean isShed;
  private @Nullable AuditAction audit;

  private RouteDraft(String ids, Method method, String template) {
    this.ids = List.of(ids.split(" ", -1));
    this.method = method;
    this.template = template;
  }

  public static RouteDraft get(String ids, String template) {
    return new RouteDraft(ids, Method.GET, template);
  }

  public static RouteDraft post(String ids, String template) {
    return new RouteDraft(ids, Method.POST, template);
  }

  public static RouteDraft put(String ids, String template) {
    return new RouteDraft(ids, Method.PUT, template);
  }

  public static RouteDraft patch(String ids, String template) {
    return new RouteDraft(ids, Method.PATCH, template);
  }

  public static RouteDraft delete(String ids, String template) {
    return new RouteDraft(ids, Method.DELETE, template);
  }

  public RouteDraft to(Audience whom) {
    audience = whom;
    return this;
  }

  /** In an organization, for those who have a permission there. */
  public RouteDraft in(Permission needed) {
    permission = needed;
    return to(Audience.ORG);
  }

  /** Refused by a suspended organization. */
  public RouteDraft active() {
    needsActive = true;
    return this;
  }

  /** With a fresh proof of identity. */
  public RouteDraft proved() {
    needsProof = true;
    return this;
  }

  public RouteDraft query(Class<? extends Record> parameters) {
    query = parameters;
    return this;
  }

  public RouteDraft body(Class<? extends Record> members) {
    body = members;
    return this;
  }

  public RouteDraft replies(Class<?> type) {
    return replies(200, type);
  }

  public RouteDraft replies(int success, Class<?> type) {
    status = success;
    reply = type;
    return this;
  }

  /** Replies with a {@link ListPage} of rows. */
  public RouteDraft lists(Class<?> row) {
    isList = true;
    return replies(row);
  }

  /** Makes an object: 201, and an idempotency key is honored. */
  public RouteDraft creates(Class<?> type) {
    creates = true;
    return replies(201, type);
  }

  /** Makes an object, or replies with the one that is there already: 201 or 200. */
  public RouteDraft createsOrFinds(Class<?> type) {
    finds = true;
    return creates(type);
  }

  public RouteDraft empty(int success) {
    status = success;
    return this;
  }

  /** Refused first when the node has too much to do. */
  public RouteDraft shed() {
    isShed = true;
    return this;
  }

  public RouteDraft audited(AuditAction action) {
    audit = action;
    return this;
  }

  public RouteSpec build(String name) {
    return new RouteSpec(
        name,
        ids,
        method,
        template,
        audience,
        permission,
        needsActive,
        needsProof,
        creates,
        finds,
        query,
        body,
        status,
        reply,
        isList,
        isShed,
        audit);
  }
}
