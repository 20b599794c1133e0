package dev.tollgate.core.testkit;

import com.networknt.schema.InputFormat;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/**
 * Provider's documented request schema, which none of the gateway's code was generated from: a
 * request that does not match would be refused.
 */
public final class ProviderSchema {
  public static final ProviderSchema ANTHROPIC = new ProviderSchema("anthropic");
  public static final ProviderSchema BEDROCK = new ProviderSchema("bedrock");
  public static final ProviderSchema GEMINI = new ProviderSchema("gemini");

  /** Restrictions of older models beyond {@link #GEMINI}. */
  public static final ProviderSchema GEMINI_2_5 = new ProviderSchema("gemini-2.5");

  public static final ProviderSchema COHERE = new ProviderSchema("cohere");
  public static final ProviderSchema OLLAMA = new ProviderSchema("ollama");

  private final String file;
  private final JsonSchema schema;

  private ProviderSchema(String file) {
    this.file = file;
    this.schema = read("/provider-schemas/" + file + ".json");
  }

  public static List<ProviderSchema> all() {
    return List.of(ANTHROPIC, BEDROCK, GEMINI, GEMINI_2_5, COHERE, OLLAMA);
  }

  @Override
  public String toString() {
    return file;
  }

  private static JsonSchema read(String resource) {
    try (InputStream json = ProviderSchema.class.getResourceAsStream(resource)) {
      return JsonSchemaFactory.getInstance(VersionFlag.V202012)
          .getSchema(Objects.requireNonNull(json, resource));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the violations of a request; empty: the provider would accept it. */
  public List<String> complaints(String request) {
    return schema.validate(request, InputFormat.JSON).stream()
        .map(ValidationMessage::getMessage)
        .toList();
  }
}
