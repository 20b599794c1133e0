package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.routing.RoutingPreferences;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Validation steps that the parsers of inference requests share, in the order of their error
 * messages. The order is missing fields, field names, model, values, the endpoint's own checks,
 * routing.
 */
public final class RequestCheck {
  private final Issues issues;
  private final @Nullable String model;
  private final boolean hasUnread;
  private final long unreadBytes;
  private final Function<Issues, RoutingFields.Read> routing;

  private RequestCheck(
      Issues issues,
      @Nullable String model,
      boolean hasUnread,
      long unreadBytes,
      Function<Issues, RoutingFields.Read> routing) {
    this.issues = issues;
    this.model = model;
    this.hasUnread = hasUnread;
    this.unreadBytes = unreadBytes;
    this.routing = routing;
  }

  /** Checks a JSON body. */
  public static RequestCheck of(JsonMembers root, FieldRules rules, String... required) {
    return of(root, rules, issues -> RoutingFields.read(root, issues), required);
  }

  /** Checks a JSON body whose routing preferences were read elsewhere. */
  public static RequestCheck of(
      JsonMembers root, FieldRules rules, RoutingPreferences routing, String... required) {
    return of(root, rules, _ -> new RoutingFields.Read(routing, null), required);
  }

  private static RequestCheck of(
      JsonMembers root,
      FieldRules rules,
      Function<Issues, RoutingFields.Read> routing,
      String... required) {
    var issues = new Issues();
    RequestRoot.require(root, issues, required);
    boolean hasUnread = rules.names().check(root, null, issues);
    String model = RequestRoot.model(root, issues);
    long unreadBytes = rules.checkValues(root, issues);
    return new RequestCheck(issues, model, hasUnread, unreadBytes, routing);
  }

  /** Checks a form with a check of its fields. */
  public static RequestCheck of(MultipartForm form, Consumer<Issues> fields) {
    var issues = new Issues();
    fields.accept(issues);
    return new RequestCheck(
        issues, FormFields.model(form, issues), false, 0, found -> FormFields.routing(form, found));
  }

  /** Returns the issues found so far, for the endpoint's own checks. */
  public Issues issues() {
    return issues;
  }

  /** True if a JSON body has members that are passed on unread. */
  public boolean hasUnread() {
    return hasUnread;
  }

  /** Returns the bytes of the text in a JSON body that is passed on unread. */
  public long unreadBytes() {
    return unreadBytes;
  }

  /** Reads the routing preferences and returns the request or its refusal. */
  public <R> ParseResult<R> result(Function<RequestTarget, R> request) {
    return resultOf(target -> new ParseResult.Valid<>(request.apply(target)));
  }

  /** Reads the routing preferences and returns a request that can still be refused. */
  public <R> ParseResult<R> resultOf(Function<RequestTarget, ParseResult<R>> request) {
    RoutingFields.Read read = routing.apply(issues);
    if (!issues.isEmpty() || model == null) {
      return new ParseResult.Refused<>(issues.toFault());
    }
    return read.unmetFault() != null
        ? new ParseResult.Refused<>(read.unmetFault())
        : request.apply(new RequestTarget(model, read.preferences()));
  }
}
