package dev.tollgate.server.control;

import dev.tollgate.core.exchange.frame.Reply;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.http.Field;
import dev.tollgate.core.http.FieldLines;
import dev.tollgate.core.http.RequestHead;
import dev.tollgate.server.control.route.ControlJson;
import dev.tollgate.server.control.route.ControlReply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Encoder of the replies of handlers as parts for the listener's pipeline. */
final class ReplyEncoder {
  private static final String JSON = "application/json";
  private static final byte[] NOTHING = {};
  private static final byte[] EMPTY_OBJECT = {'{', '}'};
  private static final Field NO_STORE = new Field("Cache-Control", "no-store");
  private static final Field NO_SNIFF = new Field("X-Content-Type-Options", "nosniff");
  private static final List<FieldLines> USUAL = List.of(NO_STORE, NO_SNIFF);
  private static final List<FieldLines> CHALLENGE =
      List.of(NO_STORE, NO_SNIFF, new Field("WWW-Authenticate", "Bearer"));

  Reply.Refused refusal(Fault fault) {
    return new Reply.Refused(fault, fault.code().status() == 401 ? CHALLENGE : USUAL);
  }

  Reply encode(ControlReply reply, RequestHead head, ByteBufAllocator allocator) {
    return switch (reply) {
      case ControlReply.Failure failure -> {
        List<FieldLines> fields = new ArrayList<>(refusal(failure.fault()).fields());
        fields.addAll(failure.fields());
        yield new Reply.Refused(failure.fault(), fields);
      }
      case ControlReply.Json json -> encode(json, head, allocator);
      case ControlReply.Empty empty -> {
        boolean hasContent = empty.status() != 204 && empty.status() != 304;
        yield whole(
            empty.status(),
            JSON,
            hasContent ? EMPTY_OBJECT : NOTHING,
            usualAnd(empty.fields()),
            allocator);
      }
      case ControlReply.Asset asset ->
          whole(
              asset.status(),
              asset.contentType(),
              asset.content(),
              List.copyOf(asset.fields()),
              allocator);
    };
  }

  private static Reply.Whole encode(
      ControlReply.Json json, RequestHead head, ByteBufAllocator allocator) {
    List<FieldLines> fields = usualAnd(json.fields());
    Integer version = json.version();
    if (version != null) {
      String tag = "\"" + version + "\"";
      fields.add(new Field("ETag", tag));
      if (head.method().equals("GET") && lists(head.headers().first("if-none-match"), tag)) {
        return whole(304, JSON, NOTHING, fields, allocator);
      }
    }
    return whole(json.status(), JSON, ControlJson.write(json.value()), fields, allocator);
  }

  private static boolean lists(@Nullable String field, String tag) {
    return field != null
        && Arrays.stream(field.split(",", -1))
            .map(String::strip)
            .anyMatch(each -> each.equals("*") || each.equals(tag) || each.equals("W/" + tag));
  }

  private static List<FieldLines> usualAnd(List<Field> more) {
    List<FieldLines> all = new ArrayList<>(USUAL);
    all.addAll(more);
    return all;
  }

  private static Reply.Whole whole(
      int status,
      String contentType,
      byte[] content,
      List<FieldLines> fields,
      ByteBufAllocator allocator) {
    ByteBuf body = allocator.ioBuffer(content.length).writeBytes(content);
    return new Reply.Whole(status, contentType, fields, body);
  }
}
