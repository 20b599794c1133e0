package dev.tollgate.mock.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A validator accepts what is made of a schema. */
class SchemaSampleTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type':'object','properties':{'city':{'type':'string'},'days':{'type':'integer'}},"
            + "'required':['city','days'],'additionalProperties':false}",
        "{'type':'object','properties':{'a':{'type':'object','properties':{'b':{'type':'array',"
            + "'items':{'type':'boolean'},'minItems':3}},'required':['b']}},'required':['a','more']}",
        "{'type':'object','properties':{'unit':{'enum':['C','F']},'kind':{'const':7},"
            + "'none':{'type':'null'},'maybe':{'type':['null','number']}}}",
        "{'type':'integer','minimum':4,'multipleOf':3}",
        "{'type':'integer','exclusiveMinimum':4,'exclusiveMaximum':6}",
        "{'type':'integer','maximum':-5}",
        "{'type':'number','exclusiveMinimum':0,'exclusiveMaximum':0.5}",
        "{'type':'number','maximum':0.5}",
        "{'type':'number','minimum':2.5}",
        "{'type':'string','minLength':30}",
        "{'type':'string','maxLength':3}",
        "{'type':'string','format':'date-time'}",
        "{'type':'string','format':'uuid'}",
        "{'type':'string','format':'ipv6'}",
        "{'type':'string','format':'email'}",
        "{'type':'array','items':{'type':'string'},'minItems':2,'uniqueItems':true}",
        "{'type':'array','prefixItems':[{'type':'string'},{'type':'integer'}],'minItems':2}",
        "{'type':'array','items':{'type':'string'},'maxItems':0}",
        "{'anyOf':[{'type':'null'},{'type':'integer'}]}",
        "{'oneOf':[{'const':'x'},{'type':'integer'}]}",
        "{'allOf':[{'type':'object','properties':{'a':{'type':'integer'}},'required':['a']},"
            + "{'type':'object','properties':{'b':{'type':'string'}},'required':['b']}]}",
        "{'$ref':'#/$defs/step','$defs':{'step':{'type':'object','properties':{"
            + "'text':{'type':'string'},'next':{'anyOf':[{'$ref':'#/$defs/step'},"
            + "{'type':'null'}]}},'required':['text','next']}}}",
        "{'type':'object','properties':{'name':{'type':'string'},'parts':{'type':'array',"
            + "'items':{'$ref':'#'}}},'required':['name','parts']}",
        "{'type':'object','properties':{'a/b':{'$ref':'#/definitions/x~1y'}},'required':['a/b'],"
            + "'definitions':{'x/y':{'type':'integer'}}}"
      })
  void aSchemaIsSatisfied(String quoted) throws Exception {
    String schema = quoted.replace('\'', '"');
    JsonNode sample = JSON.readTree(sample(schema));
    assertThat(
            JsonSchemaFactory.getInstance(VersionFlag.V202012)
                .getSchema(schema)
                .validate(
                    sample,
                    context -> context.getExecutionConfig().setFormatAssertionsEnabled(true)))
        .as("%s for %s", sample, schema)
        .isEmpty();
  }

  @Test
  void aSchemaWithoutEndGetsAnEnd() throws Exception {
    String inside =
        "{'type':'object','properties':{'a':{'$ref':'#'},'b':{'$ref':'#'}},'required':['a','b']}";
    assertThat(sample(inside.replace('\'', '"'))).hasSizeLessThan(20_000).contains("null");
    String many = "{'type':'array','minItems':1000000,'items':{'$ref':'#'}}";
    assertThat(sample(many.replace('\'', '"'))).hasSizeLessThan(500_000);
  }

  private static String sample(String schema) throws Exception {
    byte[] bytes = schema.getBytes(UTF_8);
    return JsonBytes.value(SchemaSample.of(JsonMembers.of(bytes, 0, bytes.length))).toString();
  }
}
