package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Schemas of answers and tools, as providers with rules for them get them. */
class SchemaReducerTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String AT = "response_format.json_schema.schema";

  private static JsonNode tree(String json) throws Exception {
    return MAPPER.readTree(json.replace('\'', '"'));
  }

  private static TranslatedRequest sent(String dialect, String model, String members)
      throws Exception {
    String chat = "{'messages':[{'role':'user','content':'Hi.'}]," + members + "}";
    return ConfiguredModel.of(dialect, model).of(chat.replace('\'', '"'));
  }

  private static JsonNode body(TranslatedRequest sent) throws Exception {
    return MAPPER.readTree(sent.body().toString(UTF_8));
  }

  private static TranslatedRequest answer(String dialect, String model, String schema)
      throws Exception {
    return sent(
        dialect,
        model,
        "'response_format':{'type':'json_schema','json_schema':{'name':'n','schema':"
            + schema
            + "}}");
  }

  /** Paths within the schema, each with a comma before the next. */
  private static List<String> paths(String prefix, String within) {
    return within == null
        ? List.of()
        : List.of(within.split(",", -1)).stream().map(path -> prefix + path).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        // Of objects that are not open on purpose, each is closed.
        "{'type':'string','enum':['a']} | {'type':'string','enum':['a']} | -",
        "{'type':'object','properties':{'minimum':{'type':['null','object']}}}"
            + " | {'type':'object','properties':{'minimum':{'type':['null','object'],"
            + "'additionalProperties':false}},'additionalProperties':false} | -",
        "{'anyOf':[{'type':'object'},{'const':{'type':'object'}}]}"
            + " | {'anyOf':[{'type':'object','additionalProperties':false},"
            + "{'const':{'type':'object'}}]} | -",
        "{'type':'array','minItems':1,'items':{'type':'integer'}}"
            + " | {'type':'array','minItems':1,'items':{'type':'integer'}} | -",
        // Bounds go, and are told.
        "{'type':'object','properties':{'score':{'type':'integer','minimum':1,'maximum':10,'description':'d'},"
            + "'tags':{'type':'array','minItems':3,'items':{'type':'string','maxLength':20}}},"
            + "'required':['score','tags'],'additionalProperties':false}"
            + " | {'type':'object','properties':{'score':{'type':'integer','description':'d\\n\\n{minimum: 1, maximum: 10}'},"
            + "'tags':{'type':'array','items':{'type':'string','description':'{maxLength: 20}'},"
            + "'description':'{minItems: 3}'}},'required':['score','tags'],'additionalProperties':false}"
            + " | properties.score.minimum,properties.score.maximum,properties.tags.minItems,properties.tags.items.maxLength",
        "{'$defs':{'d':{'type':'number','exclusiveMinimum':0}},'$ref':'#/$defs/d'}"
            + " | {'$defs':{'d':{'type':'number','description':'{exclusiveMinimum: 0}'}},'$ref':'#/$defs/d'}"
            + " | $defs.d.exclusiveMinimum",
        "{'anyOf':[{'type':'string','maxLength':9},{'type':'null'}]}"
            + " | {'anyOf':[{'type':'string','description':'{maxLength: 9}'},{'type':'null'}]} | anyOf[0].maxLength",
        "{'oneOf':[{'type':'string'},{'type':'null'}]} | {'anyOf':[{'type':'string'},{'type':'null'}]} | -",
        "{'type':'string','format':'email','pattern':'^a+$'} | {'type':'string','format':'email','pattern':'^a+$'} | -",
        "{'type':'string','format':'color','pattern':'^(?=a)'}"
            + " | {'type':'string','description':'{format: \\\"color\\\", pattern: \\\"^(?=a)\\\"}'} | format,pattern",
        "{'type':'array','items':[{'type':'string'}],'uniqueItems':true}"
            + " | {'type':'array','description':'{items: [{\\\"type\\\":\\\"string\\\"}], uniqueItems: true}'} | items,uniqueItems",
        "{'enum':['a',{'b':1}],'type':'string'} | {'type':'string','description':'{enum: [\\\"a\\\",{\\\"b\\\":1}]}'} | enum"
      })
  void claudesAnswerHasTheSchemaWithoutWhatIsRefused(String schema, String sent, String gone)
      throws Exception {
    for (String[] of :
        new String[][] {
          {"anthropic", "claude-sonnet-4-6", "/output_config/format/schema"},
          {"vertex-anthropic", "claude-sonnet-4-6", "/output_config/format/schema"},
          {
            "bedrock",
            "us.anthropic.claude-sonnet-4-5-v1:0",
            "/outputConfig/textFormat/structure/jsonSchema/schema"
          }
        }) {
      TranslatedRequest chat = answer(of[0], of[1], schema);
      JsonNode got = body(chat).at(of[2]);
      JsonNode plain = got.isTextual() ? MAPPER.readTree(got.asText()) : got;
      assertThat(plain).isEqualTo(sent == null ? MissingNode.getInstance() : tree(sent));
      assertThat(chat.dropped())
          .isEqualTo(sent == null ? List.of("response_format") : paths(AT + ".", gone));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        // What says nothing of an answer goes unnamed.
        "{'$schema':'https://json-schema.org/draft/2020-12/schema','title':'T','type':'object'}"
            + " | {'title':'T','type':'object','additionalProperties':false} | -",
        // Objects that are open on purpose are closed, but not where nothing would be left.
        "{'type':'object','properties':{'a':{},'m':{'type':'object','additionalProperties':{'type':'string'}}},'additionalProperties':true}"
            + " | {'type':'object','properties':{'a':{},'m':{'type':'object','additionalProperties':false}},'additionalProperties':false}"
            + " | additionalProperties,properties.m.additionalProperties",
        "{'type':'object','additionalProperties':true} | - | -",
        "{'type':'object','properties':{'next':{'$ref':'#'}}} | - | -",
        "{'$defs':{'n':{'type':'object','properties':{'next':{'anyOf':[{'$ref':'#/$defs/n'},{'type':'null'}]}}}},'$ref':'#/$defs/n'} | - | -",
        "{'$ref':'https://h/other.json'} | - | -"
      })
  void claudesAnswerHasNoSchemaWhereNothingWouldBeLeftOfIt(String schema, String sent, String gone)
      throws Exception {
    claudesAnswerHasTheSchemaWithoutWhatIsRefused(schema, sent, gone);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "{'type':'object','properties':{'a':{'type':'integer','minimum':1}},'required':['a'],'additionalProperties':false}"
            + " | {'type':'object','properties':{'a':{'type':'integer','description':'{minimum: 1}'}},'required':['a']}"
            + " | properties.a.minimum",
        "{'type':'object','properties':{'a':{'type':'string','format':'email'}}}"
            + " | {'type':'object','properties':{'a':{'type':'string','description':'{format: \\\"email\\\"}'}}} | properties.a.format",
        "{'type':'object','properties':{'a':{'type':'string','format':'date'}}}"
            + " | {'type':'object','properties':{'a':{'type':'string','format':'date'}}} | -",
        "{'type':'object','properties':{'next':{'$ref':'#'}}} | - | -"
      })
  void coheresAnswerHasTheSchemaWithoutWhatIsRefused(String schema, String sent, String gone)
      throws Exception {
    TranslatedRequest chat = answer("cohere", "command-a-03-2025", schema);
    assertThat(body(chat).at("/response_format/type").asText()).isEqualTo("json_object");
    assertThat(body(chat).at("/response_format/json_schema"))
        .isEqualTo(sent == null ? MissingNode.getInstance() : tree(sent));
    assertThat(chat.dropped())
        .isEqualTo(sent == null ? List.of("response_format.json_schema") : paths(AT + ".", gone));
  }

  @ParameterizedTest
  @CsvSource({"gemini, gemini-2.5-flash", "vertex, gemini-3-flash-preview", "ollama, qwen3"})
  void othersTakeAWholeSchema(String dialect, String model) throws Exception {
    String schema =
        "{'type':'object','properties':{'a':{'type':'array','minItems':3,'maxItems':9}}}";
    TranslatedRequest chat = answer(dialect, model, schema);
    JsonNode body = body(chat);
    JsonNode got =
        dialect.equals("ollama") ? body.path("format") : body.findValue("responseJsonSchema");
    assertThat(got).isEqualTo(tree(schema));
    assertThat(chat.dropped()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "anthropic | claude-haiku-4-5 | {'type':'object'} | {'type':'object','additionalProperties':false} | true | -",
        "anthropic | claude-haiku-4-5 | {'type':'object','properties':{'a':{'type':'array','minItems':3}}}"
            + " | {'type':'object','properties':{'a':{'type':'array','description':'{minItems: 3}'}},'additionalProperties':false}"
            + " | true | parameters.properties.a.minItems",
        "anthropic | claude-haiku-4-5 | {'properties':{}} | {'type':'object','properties':{}} | false | strict",
        // Of a map nothing would be left: the model is told the whole schema, but not held to it.
        "anthropic | claude-haiku-4-5 | {'type':'object','properties':{'m':{'type':'object','additionalProperties':true}}}"
            + " | {'type':'object','properties':{'m':{'type':'object','additionalProperties':true}}} | false | strict",
        "vertex-anthropic | claude-sonnet-4-6 | {'type':'object','maxProperties':1}"
            + " | {'type':'object','description':'{maxProperties: 1}','additionalProperties':false} | true | parameters.maxProperties",
        "bedrock | us.anthropic.claude-sonnet-4-5-v1:0 | {'type':'object','maxProperties':1}"
            + " | {'type':'object','description':'{maxProperties: 1}','additionalProperties':false} | true | parameters.maxProperties",
        "bedrock | us.anthropic.claude-3-7-sonnet-v1:0 | {'type':'object','maxProperties':1}"
            + " | {'type':'object','maxProperties':1} | false | strict",
        "bedrock | amazon.nova-pro-v1:0 | {'$schema':'s','title':'T','type':'object','properties':{'a':{'minimum':1}},'required':['a'],"
            + "'additionalProperties':false,'minProperties':1} | {'type':'object','properties':{'a':{'minimum':1}},'required':['a']}"
            + " | false | parameters.minProperties,strict",
        "cohere | command-a-03-2025 | {'type':'object','properties':{'a':{'type':'integer','maximum':9}},'additionalProperties':false}"
            + " | {'type':'object','properties':{'a':{'type':'integer','description':'{maximum: 9}'}}} | true | parameters.properties.a.maximum"
      })
  void aStrictToolIsHeldToWhatIsTaken(
      String dialect, String model, String parameters, String sent, boolean strict, String gone)
      throws Exception {
    TranslatedRequest chat =
        sent(
            dialect,
            model,
            "'tools':[{'type':'function','function':{'name':'f','strict':true,'parameters':"
                + parameters
                + "}}]");
    JsonNode body = body(chat);
    JsonNode got =
        switch (dialect) {
          case "bedrock" -> body.findValue("inputSchema").path("json");
          case "cohere" -> body.findValue("parameters");
          default -> body.findValue("input_schema");
        };
    assertThat(got).isEqualTo(tree(sent));
    JsonNode held = body.findValue(dialect.equals("cohere") ? "strict_tools" : "strict");
    assertThat(held != null && held.asBoolean()).isEqualTo(strict);
    assertThat(chat.dropped()).isEqualTo(paths("tools[0].function.", gone));
  }
}
