package dev.tollgate.server.control.route;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.json.StrictUtf8;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.SessionId;
import dev.tollgate.server.account.UserId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/**
 * JSON of the control plane. Bodies are read strictly: UTF-8, no duplicate members, nothing behind
 * the value. Replies are written from records with members in snake case.
 */
public final class ControlJson {
  private static final int DEPTH_MAX = 16;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final List<Class<?>> IDS =
      List.of(
          OrgId.class,
          KeyId.class,
          UserId.class,
          SessionId.class,
          RequestId.class,
          ModelId.class,
          ProviderId.class);
  private static final ObjectMapper MAPPER = mapper();

  private ControlJson() {}

  private static ObjectMapper mapper() {
    JsonFactory factory =
        JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX).build())
            .build();
    var types = new SimpleModule();
    types.addSerializer(new TimeSerializer());
    types.addSerializer(new NameSerializer());
    IDS.forEach(id -> types.addSerializer(id, ToStringSerializer.instance));
    return JsonMapper.builder(factory)
        .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
        .serializationInclusion(JsonInclude.Include.ALWAYS)
        .addModule(types)
        .build();
  }

  /**
   * Parses a body.
   *
   * @throws Refused 400 if it is not one JSON value
   */
  public static JsonNode parse(byte[] body) {
    if (StrictUtf8.isValid(body, 0, body.length)) {
      try {
        JsonNode parsed = MAPPER.readTree(new String(body, StandardCharsets.UTF_8));
        if (!parsed.isMissingNode()) {
          return parsed;
        }
      } catch (JsonProcessingException _) {
        // refused below, without the parser's text, which quotes the body
      }
    }
    throw Refused.of(ErrorCode.INVALID_JSON, "The body is not valid JSON.");
  }

  public static byte[] write(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("a reply cannot be written", e);
    }
  }

  public static JsonNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  /** Returns the member of a record's component, such as {@code balance_micro}. */
  static String member(String component) {
    return PropertyNamingStrategies.SnakeCaseStrategy.INSTANCE.translate(component);
  }

  /** Returns the text of a constant, such as {@code read_only}. */
  static String wire(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** Writes times with milliseconds, in UTC. */
  private static final class TimeSerializer extends StdSerializer<Instant> {
    private static final long serialVersionUID = 1;

    TimeSerializer() {
      super(Instant.class);
    }

    @Override
    public void serialize(Instant time, JsonGenerator json, SerializerProvider provider)
        throws IOException {
      json.writeString(TIME.format(time));
    }
  }

  /** Writes constants in lower case. */
  private static final class NameSerializer extends StdSerializer<Enum<?>> {
    private static final long serialVersionUID = 1;

    NameSerializer() {
      super(Enum.class, false);
    }

    @Override
    public void serialize(Enum<?> constant, JsonGenerator json, SerializerProvider provider)
        throws IOException {
      json.writeString(wire(constant));
    }
  }
}
