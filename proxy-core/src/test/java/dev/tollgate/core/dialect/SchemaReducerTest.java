package dev.tollgate.core.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
        "{'type':'object','properties':{'minimum':{'type':['null','object'],'properties':{}}}}"
            + " | {'type':'object','properties':{'minimum':{'type':['null','object'],'properties':{},"
            + "'additionalProperties':false}},'additionalProperties':false} | -",
        "{'anyOf':[{'type':'object','properties':{}},{'const':{'type':'object'}}]}"
            + " | {'anyOf':[{'type':'object','properties':{},'additionalProperties':false},"
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
        "{'$defs':{'a/b~%':{'type':'string'}},'anyOf':[{'$ref':'#/$defs/a~1b~0%25'},{'$ref':'#/$defs/a~1b~0%'}]}"
            + " | {'$defs':{'a/b~%':{'type':'string'}},'anyOf':[{'$ref':'#/$defs/a~1b~0%25'},{'$ref':'#/$defs/a~1b~0%'}]} | -",
        "{'type':null,'properties':{'a':{'type':'STRING'}}}"
            + " | {'type':'object','properties':{'a':{'type':'string'}},'additionalProperties':false} | -",
        // What says nothing of an answer goes unnamed.
        "{'$schema':'https://json-schema.org/draft/2020-12/schema','title':'T','type':'object','properties':{}}"
            + " | {'title':'T','type':'object','properties':{},'additionalProperties':false} | -",
        "{'type':'object','additionalProperties':false} | {'type':'object','additionalProperties':false} | -",
        // Objects that are open on purpose are closed, but not where nothing would be left.
        "{'type':'object','properties':{'a':{}},'additionalProperties':true}"
            + " | {'type':'object','properties':{'a':{}},'additionalProperties':false} | additionalProperties",
        "{'type':'object','properties':{'a':{},'m':{'type':'object','additionalProperties':{'type':'string'}}}} | - | -",
        "{'type':'object','additionalProperties':true} | - | -",
        "{'type':'object','description':'any'} | - | -",
        "{'type':'object','properties':{'m':{'type':'object','description':'any'}}} | - | -",
        "{'type':'array','items':{'type':['object','null']}} | - | -",
        "{'$defs':{'m':{'type':'object'}},'$ref':'#/$defs/m'} | - | -",
        "{'type':'object','anyOf':[{'properties':{'a':{}}}]} | - | -",
        "{'type':'object','properties':{'next':{'$ref':'#'}}} | - | -",
        "{'$defs':{'n':{'type':'object','properties':{'next':{'anyOf':[{'$ref':'#/$defs/n'},{'type':'null'}]}}}},'$ref':'#/$defs/n'} | - | -",
        "{'$ref':'https://h/other.json'} | - | -"
      })
  void claudesAnswerHasNoSchemaWhereItCannotBeReduced(String schema, String sent, String gone)
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
        "{'type':'object','properties':{'a':{'type':'string','format':'email'}},'required':['a']}"
            + " | {'type':'object','properties':{'a':{'type':'string','description':'{format: \\\"email\\\"}'}},'required':['a']} | properties.a.format",
        "{'type':'object','properties':{'a':{'type':'string','format':'date'}},'required':['a']}"
            + " | {'type':'object','properties':{'a':{'type':'string','format':'date'}},'required':['a']} | -",
        // The outermost schema is that of an object.
        "{'properties':{'a':{}},'required':['a']} | {'type':'object','properties':{'a':{}},'required':['a']} | -",
        "{'type':['object','null'],'required':['a']} | {'type':'object','required':['a']} | type",
        "{'$ref':'#/definitions/n','definitions':{'n':{'type':'object','required':['a'],'maxProperties':2}}}"
            + " | {'type':'object','definitions':{'n':{'type':'object','required':['a'],'description':'{maxProperties: 2}'}},"
            + "'required':['a'],'description':'{maxProperties: 2}'} | definitions.n.maxProperties",
        "{'type':'array','items':{}} | - | -",
        "{'type':'string'} | - | -",
        "{} | - | -",
        // Every object requires a property.
        "{'type':'object','properties':{'a':{}}} | - | -",
        "{'type':'object','properties':{'a':{'type':'object','properties':{'b':{}}}},'required':['a']} | - | -",
        "{'type':'object','properties':{'a':{'type':'array','items':{'properties':{'b':{}},'required':[]}}},'required':['a']} | - | -",
        "{'type':'object','additionalProperties':{'type':'string'}} | - | -",
        // Nothing is to choose but null.
        "{'type':'object','properties':{'a':{'anyOf':[{'type':'string','maxLength':9},{'type':'null'}],'title':'A','default':null}},'required':['a']}"
            + " | {'type':'object','properties':{'a':{'title':'A','type':'string','description':'{maxLength: 9}'}},'required':['a']}"
            + " | properties.a.anyOf,properties.a.anyOf[0].maxLength",
        "{'type':'object','properties':{'a':{'allOf':[{'$ref':'#/$defs/a~1b'}],'description':'d'}},'required':['a'],'$defs':{'a/b':{'type':'string'}}}"
            + " | {'type':'object','properties':{'a':{'description':'d','$ref':'#/$defs/a~1b'}},'required':['a'],'$defs':{'a/b':{'type':'string'}}} | -",
        "{'type':'object','properties':{'a':{'oneOf':[{'type':'string'},{'type':'number'}]}},'required':['a']} | - | -",
        "{'anyOf':[{'type':'object','required':['a']},{'type':'object','required':['b']}]} | - | -",
        "{'type':'object','properties':{'a':{'type':'string','allOf':[{'type':'number'}]}},'required':['a']} | - | -",
        "{'type':'object','properties':{'a':{'not':{'type':'null'}}},'required':['a']}"
            + " | {'type':'object','properties':{'a':{'description':'{not: {\\\"type\\\":\\\"null\\\"}}'}},'required':['a']} | properties.a.not",
        "{'type':'object','properties':{'next':{'$ref':'#'}},'required':['next']} | - | -"
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
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "{'type':'object','properties':{'a':{'type':'string','pattern':'^a','maxLength':9,'format':'email','default':'x'}},'additionalProperties':{'type':'number','minimum':1}}"
            + " | {'type':'object','properties':{'a':{'type':'string','format':'email','description':'{pattern: \\\"^a\\\", maxLength: 9, default: \\\"x\\\"}'}},"
            + "'additionalProperties':{'type':'number','minimum':1}}"
            + " | properties.a.pattern,properties.a.maxLength,properties.a.default",
        "{'$schema':'s','oneOf':[{'const':'a'},{'const':2},{'const':true}]}"
            + " | {'oneOf':[{'enum':['a']},{'enum':[2]},{'description':'{const: true}'}]} | oneOf[2].const",
        "{'const':'a','enum':['a','b']} | {'enum':['a']} | -",
        "{'enum':['a',null]} | {'description':'{enum: [\\\"a\\\",null]}'} | enum",
        "{'allOf':[{'type':'string','description':'inner'}],'description':'d','default':null} | {'description':'d','type':'string'} | -",
        "{'allOf':[{'type':'string'},{'enum':['a']}]}"
            + " | {'description':'{allOf: [{\\\"type\\\":\\\"string\\\"},{\\\"enum\\\":[\\\"a\\\"]}]}'} | allOf",
        // Beside a reference nothing stands; a small schema is written in its place.
        "{'properties':{'a':{'$ref':'#/$defs/c','description':'d'},'b':{'$ref':'#/$defs/n','description':'d'}},"
            + "'$defs':{'c':{'enum':['x'],'title':'C','minLength':1},'n':{'items':{'$ref':'#/$defs/c'}}}}"
            + " | {'type':'object','properties':{'a':{'enum':['x'],'title':'C','description':'d\\n\\n{minLength: 1}'},'b':{'$ref':'#/$defs/n'}},"
            + "'$defs':{'c':{'enum':['x'],'title':'C','description':'{minLength: 1}'},'n':{'items':{'$ref':'#/$defs/c'}}}}"
            + " | $defs.c.minLength,properties.b.description",
        "{'properties':{'a':{'$ref':'#/$defs/n','title':'A','default':{}}},'$defs':{'n':{'properties':{'b':{'$ref':'#/$defs/n'}}}}}"
            + " | {'type':'object','properties':{'a':{'$ref':'#/$defs/n'}},'$defs':{'n':{'type':'object','properties':{'b':{'$ref':'#/$defs/n'}}}}}"
            + " | properties.a.default",
        "{'$ref':'#/definitions/n','definitions':{'n':{'type':'string'}}} | {'$ref':'#/$defs/n','$defs':{'n':{'type':'string'}}} | -",
        "{'items':{'$ref':'#/properties/a'},'properties':{'a':{'type':'string'}}}"
            + " | {'type':'object','items':{'$ref':'#/properties/a'},'properties':{'a':{'type':'string'}}} | -",
        "{'$ref':'https://h/s.json','type':'string'} | {'type':'string','description':'{$ref: \\\"https://h/s.json\\\"}'} | $ref",
        "{'items':{'$ref':'#/$defs/absent'}} | {'items':{'description':'{$ref: \\\"#/$defs/absent\\\"}'}} | items.$ref",
        // Only properties that may be absent close a cycle.
        "{'type':'object','properties':{'next':{'anyOf':[{'$ref':'#'},{'type':'null'}]},'v':{}},'required':['v']}"
            + " | {'type':'object','properties':{'next':{'anyOf':[{'$ref':'#'},{'type':'null'}]},'v':{}},'required':['v']} | -",
        "{'type':'object','properties':{'next':{'anyOf':[{'$ref':'#'},{'type':'null'}]},'v':{}},'required':['v','next']}"
            + " | {'type':'object','properties':{'next':{'anyOf':[{'$ref':'#'},{'type':'null'}]},'v':{}},'required':['v']} | required",
        "{'$ref':'#/$defs/a','$defs':{'a':{'type':'object','properties':{'b':{'$ref':'#/$defs/b'}},'required':['b']},"
            + "'b':{'type':'object','properties':{'a':{'type':'array','items':{'$ref':'#/$defs/a'}}},'required':['a']}}}"
            + " | {'$ref':'#/$defs/a','$defs':{'a':{'type':'object','properties':{'b':{'$ref':'#/$defs/b'}},'required':['b']},"
            + "'b':{'type':'object','properties':{'a':{'type':'array','items':{'$ref':'#/$defs/a'}}},'required':[]}}} | $defs.b.required",
        "{'type':'array','items':{'$ref':'#'}} | - | -"
      })
  void geminisAnswerHasTheSchemaWithoutWhatIsRefused(String schema, String sent, String gone)
      throws Exception {
    for (String[] of :
        new String[][] {{"gemini", "gemini-2.5-flash"}, {"vertex", "gemini-3-flash-preview"}}) {
      TranslatedRequest chat = answer(of[0], of[1], schema);
      JsonNode config = body(chat).path("generationConfig");
      assertThat(config.path("responseMimeType").asText()).isEqualTo("application/json");
      assertThat(config.path("responseJsonSchema"))
          .isEqualTo(sent == null ? MissingNode.getInstance() : tree(sent));
      assertThat(chat.dropped())
          .isEqualTo(sent == null ? List.of("response_format.json_schema") : paths(AT + ".", gone));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "{'properties':{'a':{'const':'x','minLength':1}}}"
            + " | {'type':'object','properties':{'a':{'enum':['x'],'description':'{minLength: 1}'}}} | .properties.a.minLength",
        "{'$ref':'#/definitions/n','definitions':{'n':{'required':['a']}}}"
            + " | {'type':'object','$defs':{'n':{'required':['a']}},'required':['a']} | -",
        "{'allOf':[{'properties':{'a':{}}}],'additionalProperties':false}"
            + " | {'type':'object','additionalProperties':false,'properties':{'a':{}}} | -",
        "{'items':{'$ref':'#'}} | {'type':'object','properties':{}} | ``"
      })
  void geminisToolHasTheSchemaWithoutWhatIsRefused(String schema, String sent, String gone)
      throws Exception {
    TranslatedRequest chat =
        sent(
            "gemini",
            "gemini-2.5-flash",
            "'tools':[{'type':'function','function':{'name':'f','parameters':" + schema + "}}]");
    assertThat(body(chat).findValue("parametersJsonSchema")).isEqualTo(tree(sent));
    assertThat(chat.dropped()).isEqualTo(paths("tools[0].function.parameters", gone));
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
        "anthropic | claude-haiku-4-5 | {'type':'object','properties':{}} | {'type':'object','properties':{},'additionalProperties':false} | true | -",
        "anthropic | claude-haiku-4-5 | {'type':'object'} | {'type':'object'} | false | strict",
        "bedrock | us.anthropic.claude-sonnet-4-5-v1:0 | {'type':'object','properties':{'m':{'type':'object','description':'any'}}}"
            + " | {'type':'object','properties':{'m':{'type':'object','description':'any'}}} | false | strict",
        "anthropic | claude-haiku-4-5 | {'type':'object','properties':{'a':{'type':'array','minItems':3}}}"
            + " | {'type':'object','properties':{'a':{'type':'array','description':'{minItems: 3}'}},'additionalProperties':false}"
            + " | true | parameters.properties.a.minItems",
        "anthropic | claude-haiku-4-5 | {'properties':{}} | {'type':'object','properties':{}} | false | strict",
        // Of a map nothing would be left: the model is told the whole schema, but not held to it.
        "anthropic | claude-haiku-4-5 | {'type':'object','properties':{'m':{'type':'object','additionalProperties':true}}}"
            + " | {'type':'object','properties':{'m':{'type':'object','additionalProperties':true}}} | false | strict",
        "vertex-anthropic | claude-sonnet-4-6 | {'type':'object','properties':{},'maxProperties':1}"
            + " | {'type':'object','properties':{},'description':'{maxProperties: 1}','additionalProperties':false} | true | parameters.maxProperties",
        "bedrock | us.anthropic.claude-sonnet-4-5-v1:0 | {'type':'object','properties':{},'maxProperties':1}"
            + " | {'type':'object','properties':{},'description':'{maxProperties: 1}','additionalProperties':false} | true | parameters.maxProperties",
        "bedrock | us.anthropic.claude-3-7-sonnet-v1:0 | {'type':'object','maxProperties':1}"
            + " | {'type':'object','maxProperties':1} | false | strict",
        "bedrock | amazon.nova-pro-v1:0 | {'$schema':'s','title':'T','type':'object','properties':{'a':{'minimum':1}},'required':['a'],"
            + "'additionalProperties':false,'minProperties':1} | {'type':'object','properties':{'a':{'minimum':1}},'required':['a']}"
            + " | false | parameters.minProperties,strict",
        "cohere | command-a-03-2025 | {'type':'object','properties':{'a':{'type':'integer','maximum':9}},'required':['a'],'additionalProperties':false}"
            + " | {'type':'object','properties':{'a':{'type':'integer','description':'{maximum: 9}'}},'required':['a']} | true | parameters.properties.a.maximum",
        "cohere | command-a-03-2025 | {'type':['object','null'],'required':['a']} | {'type':'object','required':['a']} | true | -",
        "cohere | command-a-03-2025 | {'properties':{'a':{'maximum':9}},'required':['a']}"
            + " | {'type':'object','properties':{'a':{'description':'{maximum: 9}'}},'required':['a']} | true | parameters.properties.a.maximum",
        "cohere | command-a-03-2025 | {'type':'object','properties':{'a':{'maximum':9}}} | {'type':'object','properties':{'a':{'maximum':9}}} | false | strict",
        "cohere | command-a-03-2025 | {'type':null,'description':'d'} | {'type':'object','description':'d'} | false | strict",
        "cohere | command-a-03-2025 | {} | {'type':'object','properties':{}} | false | strict",
        "cohere | command-a-03-2025 | {'type':'object','required':['a'],'anyOf':[{'required':['b']},{'required':['c']}]}"
            + " | {'type':'object','required':['a'],'anyOf':[{'required':['b']},{'required':['c']}]} | false | strict"
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

  /** A schema of this nesting, all of whose bytes are in the innermost object. */
  private static String nested(int depth, int properties) {
    String names =
        IntStream.range(0, properties)
            .mapToObj(i -> "'property_number_" + i + "':{'type':'string'}")
            .collect(Collectors.joining(","));
    String beginning = "{'type':'object','required':['a'],'properties':{'a':";
    return beginning.repeat(depth)
        + "{'type':'object','required':['property_number_0'],'properties':{"
        + names
        + "}}"
        + "}}".repeat(depth);
  }

  @ParameterizedTest
  @CsvSource({
    "anthropic, claude-sonnet-4-6, response_format",
    "cohere, command-a-03-2025, response_format.json_schema",
    "gemini, gemini-2.5-flash, response_format.json_schema"
  })
  void aSchemaTooLargeForItsNestingIsDropped(String dialect, String model, String dropped)
      throws Exception {
    assertThat(answer(dialect, model, nested(20, 20_000)).dropped()).isEmpty();
    assertThat(answer(dialect, model, nested(80, 20_000)).dropped()).containsExactly(dropped);
  }
}
