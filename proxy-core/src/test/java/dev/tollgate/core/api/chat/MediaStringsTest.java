package dev.tollgate.core.api.chat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.testkit.Seeds;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Media URLs are found wherever a server could read one, and in no text. */
class MediaStringsTest {
  private static final String URL = "https://good.example/cat.png?a=1";

  private static List<MediaUrl> urls(String part) {
    String chat =
        "{\"model\":\"a/m\",\"messages\":[{\"role\":\"user\",\"content\":[" + part + "]}]}";
    byte[] bytes = chat.getBytes(UTF_8);
    return switch (ChatRequest.parse(bytes, bytes.length)) {
      case ParseResult.Valid<ChatRequest> valid -> valid.request().mediaUrls();
      case ParseResult.Refused<ChatRequest> refused -> throw new AssertionError(refused.fault());
    };
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type':'image_url','image_url':{'url':'U'}}",
        "{'type':'image_url','image_url':'U'}",
        "{'image_url':{'detail':'low','url':'U'},'type':'image_url'}",
        "{'type':'image_url','image_url':{'url':'data:,x','url':'U'}}",
        "{'type':'image_url','image_url':{'url':'data:,x'},'image_url':{'url':'U'}}",
        "{'type':'image_url','im\\u0061ge_url':{'u\\u0072l':'U'}}",
        "{'type':'video_url','video_url':{'url':'U'}}",
        "{'type':'audio_url','audio_url':{'url':'U'}}",
        "{'type':'video','video':['data:,x','U']}",
        "{'type':'input_audio','input_audio':{'data':'U','format':'wav'}}",
        "{'type':'file','file':{'file_data':'U'}}",
        "{'type':'file','file':{'file_url':'U','filename':'https://name'}}",
        "{'type':'file','file':{'file_id':'U'}}",
        "{'type':'image','source':{'type':'url','url':'U'}}",
        "{'type':'document','source':{'type':'content','content':[{'type':'image',"
            + "'source':{'type':'url','url':'U'}}]}}",
        "{'type':'text','text':'https://words','uuid':'1','image_url':{'url':'U'}}",
        "{'type':'of_tomorrow','media':{'deep':{'deeper':['U']}}}",
      })
  void aUrlIsFound(String part) {
    String json = part.replace('\'', '"').replace("U", URL);
    assertThat(urls(json)).extracting(MediaUrl::url).as(json).containsExactly(URL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type':'text','text':'U'}",
        "{'type':'text','text':'U','cache_control':{'type':'ephemeral'}}",
        "{'type':'refusal','refusal':'U'}",
        "{'type':'image_url','image_url':{'url':'DATA:image/png;base64,iVBO'}}",
        "{'type':'image_url','image_url':{'url':'\\u0064ata:image/png;base64,iVBO'}}",
        "{'type':'image_url','image_url':{'url':' data:image/png;base64,iVBO'}}",
        "{'type':'image_url','image_url':{'url':'/9j/4AAQSkZJRgABAQ=='}}",
        "{'type':'image_url','image_url':{'url':''}}",
        "{'type':'input_audio','input_audio':{'data':'UklGRg==','format':'wav'}}",
        "{'type':'file','file':{'file_id':'file-abc','filename':'C:/a.pdf'}}",
        "{'type':'document','source':{'type':'text','media_type':'text/plain','data':'U'}}",
        "{'type':'search_result','source':'U','title':'U','content':[{'type':'text','text':'U'}]}",
        "{'type':'document','document':{'url':'U'}}",
        "{'type':'tool_use','name':'get','input':{'url':'U'}}",
        "{'type':'tool_result','content':'U'}",
        "{'type':'thinking','thinking':'U'}",
      })
  void whatIsNotOpenedIsNoUrl(String part) {
    String json = part.replace('\'', '"').replace("\"U\"", "\"" + URL + "\"");
    assertThat(urls(json)).as(json).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://h/",
        "file:///etc/passwd",
        "gs://b/o",
        "s3://b/o",
        "ftp:/h",
        "https:\\\\\\\\h",
        "cat.png",
        "/var/cat",
        "\\t\\n http://h/",
        "//h/x",
        "~/cat.png"
      })
  void whateverASchemeOpensIsFoundAtAUrl(String text) {
    assertThat(urls("{\"type\":\"image_url\",\"image_url\":{\"url\":\"" + text + "\"}}"))
        .hasSize(1);
  }

  /** Wherever it is written, with whatever spaces and escapes between. */
  @Test
  void noWayOfWritingHidesAUrl() {
    Seeds.forEach(MediaStringsTest::isFoundAsWrittenBy);
  }

  private static void isFoundAsWrittenBy(Random random) {
    String space = " \n\t".substring(0, random.nextInt(4));
    StringBuilder part = new StringBuilder("{" + space + "\"type\":" + space + "\"image_url\",");
    int before = random.nextInt(3);
    for (int k = 0; k < before; k++) {
      part.append("\"x").append(k).append("\":[{\"type\":\"y\"},{}, 1 ],").append(space);
    }
    part.append(escaped("image_url", random)).append(space).append(":{");
    part.append(escaped("url", random)).append(':').append(escaped(URL, random)).append("}}");
    assertThat(urls(part.toString())).extracting(MediaUrl::url).containsExactly(URL);
  }

  private static String escaped(String text, Random random) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (random.nextInt(6)) {
        case 0 -> out.append(String.format("\\u%04x", (int) c));
        case 1 -> out.append(c == '/' ? "\\/" : c);
        default -> out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
