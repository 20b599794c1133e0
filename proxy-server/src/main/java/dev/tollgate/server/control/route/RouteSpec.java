package dev.tollgate.server.control.route;

import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.Permission;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Properties of a route, from which routing, authorization, checks and the API description are
 * read.
 *
 * @param name name of the route in code and in the API description
 * @param ids names of the calls in the authorization matrix
 * @param template path with placeholders in braces
 * @param permission what the caller needs in the organization of the path; null: nothing more than
 *     the audience says
 * @param needsActive true if a suspended organization refuses the call
 * @param needsProof true if a person must have proved its identity a short while ago
 * @param creates true if the call makes an object, and so honors an idempotency key
 * @param finds true if the call replies with {@link #FOUND} where the object is there already
 * @param query record of the query's parameters; null: none
 * @param body record of the JSON body; null: none
 * @param status status of success
 * @param reply record of the reply, or of its rows; null: no content, or content that is not JSON
 * @param isList true if the reply is a page of rows
 * @param isShed true if the call is refused first when the node has too much to do
 * @param audit what the call writes to the audit log; null: nothing
 */
public record RouteSpec(
    String name,
    List<String> ids,
    Method method,
    String template,
    Audience audience,
    @Nullable Permission permission,
    boolean needsActive,
    boolean needsProof,
    boolean creates,
    boolean finds,
    @Nullable Class<? extends Record> query,
    @Nullable Class<? extends Record> body,
    int status,
    @Nullable Class<?> reply,
    boolean isList,
    boolean isShed,
    @Nullable AuditAction audit) {

  /** Status of a call that would create what is there already. */
  static final int FOUND = 200;

  /** HTTP method of a route. */
  public enum Method {
    GET,
    POST,
    PUT,
    PATCH,
    DELETE
  }

  /** Callers that a route is for. */
  public enum Audience {
    /** Files of the dashboard: for anyone, without any look-up. */
    FILES,
    /** Anyone; a caller with valid credentials is still known. */
    PUBLIC,
    /** People and control tokens. */
    SIGNED_IN,
    /** People only. */
    PERSON,
    /** Callers with access to the organization of the path. */
    ORG,
    /** Operators and tokens of the platform. */
    OPERATOR
  }

  /** Whether a request must prove that no foreign page made the browser send it. */
  public boolean csrf() {
    return method != Method.GET;
  }

  /** Returns the name under which metrics count the requests. */
  public String label() {
    return method + " " + template;
  }

  /** Returns the parts of the template between slashes. */
  List<String> segments() {
    return Arrays.asList(template.substring(1).split("/", -1));
  }
}
