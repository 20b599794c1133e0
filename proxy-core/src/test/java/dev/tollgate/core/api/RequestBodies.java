package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.Corpora;
import dev.tollgate.core.testkit.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** JSON bodies of one endpoint, written with apostrophes as quotation marks, and their results. */
public record RequestBodies<R extends InferenceRequest>(
    String model, BiFunction<byte[], Integer, ParseResult<R>> parser) {

  public String body(String members) {
    return ("{'model':'" + model + "'," + members + "}").replace('\'', '"');
  }

  public ParseResult<R> parse(String members) {
    byte[] bytes = body(members).getBytes(UTF_8);
    return parser.apply(bytes, bytes.length);
  }

  public R valid(String members) {
    ParseResult<R> parsed = parse(members);
    assertThat(parsed).as(members).isInstanceOf(ParseResult.Valid.class);
    return ((ParseResult.Valid<R>) parsed).request();
  }

  /** Returns the fault of a whole body. */
  public Fault refused(byte[] body) {
    ParseResult<R> parsed = parser.apply(body, body.length);
    assertThat(parsed).as(new String(body, UTF_8)).isInstanceOf(ParseResult.Refused.class);
    return ((ParseResult.Refused<R>) parsed).fault();
  }

  public Fault refused(String members) {
    return refused(body(members).getBytes(UTF_8));
  }

  /** Returns the body for a provider. */
  public static String upstream(InferenceRequest request) {
    return upstream(request, Samples.route(true));
  }

  public static String upstream(InferenceRequest request, Route route) {
    ByteBuf all = Unpooled.wrappedBuffer(request.bodyFor(route).toArray(ByteBuf[]::new));
    try {
      return all.toString(UTF_8);
    } finally {
      all.release();
    }
  }

  /** Checks that bodies with random bytes are refused properly, or forwarded as valid JSON. */
  public void assertDamagedBodies(String healthy, Consumer<R> valid, Consumer<Fault> refused) {
    Seeds.forEach(
        random -> {
          byte[] bytes = body(healthy).getBytes(UTF_8);
          for (int n = random.nextInt(4); n >= 0; n--) {
            bytes[random.nextInt(bytes.length)] = (byte) (32 + random.nextInt(95));
          }
          switch (parser.apply(bytes, bytes.length)) {
            case ParseResult.Valid<R>(R request) -> {
              ClientView.tree(upstream(request));
              valid.accept(request);
            }
            case ParseResult.Refused<R>(Fault fault) -> {
              assertThat(fault.code().status()).isIn(400, 501);
              refused.accept(fault);
            }
          }
        });
  }

  /** Checks the verdicts of the shared table of bad bodies for a route. */
  public void assertSharedVerdicts(String route, int rowsMin) {
    List<String[]> rows =
        Corpora.rows("data/badjson.tsv").stream().filter(row -> row[1].equals(route)).toList();
    assertThat(rows).hasSizeGreaterThanOrEqualTo(rowsMin);
    for (String[] row : rows) {
      Fault fault = refused(Corpora.bytes("data/badjson/" + row[0]));
      assertThat(Integer.toString(fault.code().status())).isEqualTo(row[2]);
      assertThat(fault.code().wire()).isEqualTo(row[3]);
      assertThat(fault.param()).isEqualTo(row[4]);
    }
  }
}
