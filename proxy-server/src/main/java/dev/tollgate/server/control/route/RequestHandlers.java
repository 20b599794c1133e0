package dev.tollgate.server.control.route;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.explorer.OrgKeys;
import dev.tollgate.server.explorer.RequestDetail;
import dev.tollgate.server.explorer.RequestDetails;
import dev.tollgate.server.explorer.RequestFilter;
import dev.tollgate.server.explorer.RequestQueries;
import dev.tollgate.server.explorer.RequestQueries.Position;
import dev.tollgate.server.explorer.RequestRow;
import dev.tollgate.server.explorer.UsageQueries;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Handlers of the calls that read the requests of an organization. */
public final class RequestHandlers {
  private final RequestQueries queries;
  private final UsageQueries usage;
  private final RequestDetails details;
  private final OrgKeys keys;
  private final InstantSource clock;
  private final Duration kept;

  private RequestHandlers(DataSource pool, InstantSource clock, Duration kept) {
    this.queries = new RequestQueries(pool);
    this.usage = new UsageQueries(pool);
    this.details = new RequestDetails(pool, kept);
    this.keys = new OrgKeys(pool);
    this.clock = clock;
    this.kept = kept;
  }

  /** Query of a page of requests. */
  record ListQuery(@JsonUnwrapped RequestSearch search, PageRequest page) {}

  /**
   * Adds the handlers.
   *
   * @param kept how long requests are kept
   */
  public static void add(Handlers.Builder to, DataSource pool, InstantSource clock, Duration kept) {
    var handlers = new RequestHandlers(pool, clock, kept);
    UsageQueries usage = handlers.usage;
    to.replies(Route.REQUESTS, handlers::list)
        .replies(Route.REQUEST, handlers::one)
        .replies(
            Route.REQUEST_HISTOGRAM,
            call -> HistogramView.of(usage.histogram(call.org().org(), handlers.filter(call))))
        .replies(
            Route.REQUEST_FACETS, call -> usage.facets(call.org().org(), handlers.filter(call)));
  }

  private RequestFilter filter(ControlRequest call) {
    return call.query(RequestSearch.class).filter(clock.instant(), kept);
  }

  private RequestListing list(ControlRequest call) throws SQLException {
    var query = call.query(ListQuery.class);
    OrgId org = call.org().org();
    RequestFilter filter = query.search().filter(clock.instant(), kept);
    PageRequest page = query.page();
    Position after = page.position() == null ? null : position(page.position());
    RequestQueries.Page found = queries.list(org, filter, after, page.limit());
    Map<String, String> names = names(org, found.rows());
    Position next = found.next();
    return new RequestListing(
        found.rows().stream().map(row -> RequestListing.Row.of(row, names)).toList(),
        next == null ? null : page.next(next.toString()),
        found.asOf(),
        found.scannedTo(),
        refused(org, filter));
  }

  private static Position position(String text) {
    return Position.parse(text)
        .orElseThrow(() -> Refused.invalid("cursor", "is not a cursor of this list"));
  }

  private Map<String, String> names(OrgId org, List<RequestRow> rows) throws SQLException {
    return keys.names(org, rows.stream().map(row -> row.key().value()).collect(Collectors.toSet()));
  }

  private Map<String, Long> refused(OrgId org, RequestFilter filter) throws SQLException {
    Map<String, Long> byCode = new TreeMap<>();
    usage
        .refused(org, filter)
        .forEach(each -> byCode.merge(each.code(), each.refusals(), Long::sum));
    return byCode;
  }

  private RequestReport one(ControlRequest call) throws SQLException {
    OrgId org = call.org().org();
    RequestDetail found =
        details.find(org, call.path().text("request")).orElseThrow(Refused::notFound);
    boolean isForOperator = call.caller().isOperator();
    return RequestReport.of(
        found,
        details.arithmetic(found, isForOperator).orElse(null),
        keys.names(org, Set.of(found.row().key().value())),
        isForOperator);
  }
}
