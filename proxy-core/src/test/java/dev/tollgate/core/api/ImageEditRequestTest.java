package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.image.ImageOptions;
import dev.tollgate.core.api.image.ImageRequest;
import dev.tollgate.core.api.image.ImageUrls;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageEditRequestTest {
  private static final String TYPE = "multipart/form-data; boundary=b";
  private static final String[] USUAL = {"@image=PNG", "prompt=Mend it.", "model=acme/img"};

  private static final String IMAGE = "GIF89a......";

  /** Returns a form of fields as {@code name=value}; {@code @name=bytes} is an image. */
  private static byte[] form(String... fields) {
    StringBuilder form = new StringBuilder();
    for (String field : fields) {
      boolean isFile = field.startsWith("@");
      String[] parts = field.substring(isFile ? 1 : 0).split("=", 2);
      form.append("--b\r\nContent-Disposition: form-data; name=\"")
          .append(parts[0])
          .append(isFile ? "\"; filename=\"a.png\"\r\nContent-Type: image/png" : "\"")
          .append("\r\n\r\n")
          .append(isFile && !parts[1].isEmpty() ? IMAGE + parts[1] : parts[1])
          .append("\r\n");
    }
    return form.append("--b--\r\n").toString().getBytes(UTF_8);
  }

  @ParameterizedTest
  @CsvSource({
    "image, GIF89a.....",
    "image, %PDF-1.7......",
    "image[], <svg xmlns=''>....",
    "mask, GIF87b",
    "mask, ............"
  })
  void aFileIsAnImageByItsFirstBytes(String name, String content) {
    String form =
        new String(form("@image=", "@" + name + "=x", "prompt=p", "model=acme/img"), UTF_8)
            .replace("\r\n\r\n\r\n", "\r\n\r\n" + IMAGE + "\r\n")
            .replace(IMAGE + "x", content);
    Fault fault = refused(parse(form.getBytes(UTF_8)));
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo(name);
    assertThat(fault.message()).contains("must be a PNG, JPEG, WebP or GIF");
  }

  @Test
  void urlsInUnknownTextFieldsAreMediaUrls() {
    String url = "https://a.example/";
    ImageRequest request =
        valid(
            usualAnd("control=" + url + "1", "control=" + url + "2", "style=" + url, "x[url]=//b"));
    assertThat(request.mediaUrls())
        .extracting(MediaUrl::url)
        .containsExactly(url + "1", url + "2", "//b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"4", "4.0", "0.4e1", "40e-1"})
  void anIntegerMayBeWrittenLikeAnyNumber(String n) {
    assertThat(valid(usualAnd("n=" + n)).options().count()).isEqualTo(4);
  }

  private static String[] usualAnd(String... more) {
    return Stream.concat(Arrays.stream(USUAL), Arrays.stream(more)).toArray(String[]::new);
  }

  private static ParseResult<ImageRequest> parse(byte[] form) {
    return ImageRequest.parseEdit(form, form.length, TYPE, ImageUrls.PROVIDER);
  }

  private static ImageRequest valid(String... fields) {
    return valid(parse(form(fields)));
  }

  private static ImageRequest valid(ParseResult<ImageRequest> parsed) {
    assertThat(parsed).isInstanceOf(ParseResult.Valid.class);
    return ((ParseResult.Valid<ImageRequest>) parsed).request();
  }

  private static Fault refused(ParseResult<ImageRequest> parsed) {
    assertThat(parsed).isInstanceOf(ParseResult.Refused.class);
    return ((ParseResult.Refused<ImageRequest>) parsed).fault();
  }

  private static ParseResult<ImageRequest> json(String members) {
    byte[] bytes = ("{'model':'acme/img'" + members + "}").replace('\'', '"').getBytes(UTF_8);
    return ImageRequest.parseEdit(bytes, bytes.length, "application/json", ImageUrls.PROVIDER);
  }

  private static String sent(ImageRequest request) {
    ByteBuf[] parts = request.bodyFor(Samples.route(true)).toArray(ByteBuf[]::new);
    return Unpooled.wrappedBuffer(parts).toString(ISO_8859_1);
  }

  @Test
  void aFormRequestsTheNumberAndKindInItsFields() {
    ImageOptions wish =
        valid(
                usualAnd(
                    "@image=PNG2",
                    "@image[]=PNG3",
                    "@mask=M",
                    "n=10",
                    "size=512x256",
                    "quality=high",
                    "response_format=b64_json",
                    "background=opaque",
                    "user=u"))
            .options();
    assertThat(wish)
        .hasToString(
            "ImageOptions[count=10, size=Optional[512x256], quality=Optional[high], format=B64_JSON, promptBytes=8, sources=4]");
    assertThat(valid(usualAnd("n=", "size=", "stream=false", "routing=cost")).options())
        .hasToString(
            "ImageOptions[count=1, size=Optional.empty, quality=Optional.empty, format=URL, promptBytes=8, sources=1]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "prompt=p;model=acme/img | image",
        "@image=P;model=acme/img | prompt",
        "@image=P;prompt=p | model",
        "@image=P;prompt=;model=acme/img | prompt",
        "@image=;prompt=p;model=acme/img | image",
        "image=P;prompt=p;model=acme/img | image",
        "@image[]=;prompt=p;model=acme/img | image[]",
        "@image=P;prompt=p;model=acme/ | model",
        "@image=P;prompt=p;prompt=q;model=acme/img | prompt",
        "@image=P;@prompt=p;model=acme/img | prompt",
        "@image=P;prompt=p;model=acme/img;mask=m | mask",
        "@image=P;prompt=p;model=acme/img;@mask=m;@mask=n | mask",
        "@image=P;prompt=p;model=acme/img;n=0 | n",
        "@image=P;prompt=p;model=acme/img;n=11 | n",
        "@image=P;prompt=p;model=acme/img;n=1.5 | n",
        "@image=P;prompt=p;model=acme/img;n=1,2 | n",
        "@image=P;prompt=p;model=acme/img;n=one | n",
        "@image=P;prompt=p;model=acme/img;size=big | size",
        "@image=P;prompt=p;model=acme/img;size=1X1 | size",
        "@image=P;prompt=p;model=acme/img;quality=best | quality",
        "@image=P;prompt=p;model=acme/img;response_format=png | response_format",
        "@image=P;prompt=p;model=acme/img;stream=true | stream",
        "@image=P;prompt=p;model=acme/img;Image=x | Image",
        "@image=P;prompt=p;model=acme/img;provider=x | provider",
        "@image=P;prompt=p;model=acme/img;routing=fastest | routing.strategy",
        "@image=P;prompt=p;model=acme/img;input_images=https://a/b | input_images",
        "@image=P;prompt=p;model=acme/img;input_images[]=https://a/b | input_images[]"
      })
  void whatAFormMustNotHaveIsNamed(String fields, String param) {
    Fault fault = refused(parse(form(fields.split(";"))));
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo(param);
  }

  @Test
  void tenImagesAreTheMost() {
    String[] nine = Stream.generate(() -> "@image=P").limit(9).toArray(String[]::new);
    assertThat(valid(usualAnd(nine)).options().sources()).isEqualTo(10);
    String[] ten = Stream.generate(() -> "@image[]=P").limit(10).toArray(String[]::new);
    assertThat(refused(parse(form(usualAnd(ten)))).param()).isEqualTo("image[]");
  }

  @Test
  void aPromptMayHave32000CharactersOfAnyKind() {
    String most = "prompt=" + "\uD83D\uDE00".repeat(32_000);
    assertThat(parse(form("@image=P", most, "model=acme/img")))
        .isInstanceOf(ParseResult.Valid.class);
    Fault fault =
        refused(parse(form("@image=P", "prompt=" + "a".repeat(32_001), "model=acme/img")));
    assertThat(fault.param()).isEqualTo("prompt");
    assertThat(fault.message()).contains("32,000");
    assertThat(refused(parse(form("@image=P", most + "\uD83D\uDE00", "model=acme/img"))).param())
        .isEqualTo("prompt");
  }

  @Test
  void aFormLeavesAsItCame() {
    ImageRequest request = valid(usualAnd("x=1", "routing={\"strategy\":\"cost\"}", "@mask=M"));
    assertThat(request.operation()).isEqualTo(Operation.IMAGE_EDIT);
    assertThat(request.upstreamBody(Samples.route(true)).contentType())
        .isEqualTo("multipart/form-data; boundary=b");
    assertThat(request.builtBytes(Samples.route(true))).isZero();
    String[] left = {"@image=PNG", "prompt=Mend it.", "model=m1-2026", "x=1", "@mask=M"};
    assertThat(sent(request)).isEqualTo(new String(form(left), ISO_8859_1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ",'prompt':'p'",
        ",'prompt':'p','input_images':[]",
        ",'prompt':'p','input_images':null",
        ",'prompt':'p','input_images':'iVBO'"
      })
  void inJsonThereMustBeAnImage(String members) {
    assertThat(refused(json(members)).param()).isEqualTo("input_images");
    assertThat(refused(json(",'input_images':['iVBORw0KGgoAAAAN']")).param()).isEqualTo("prompt");
  }

  @Test
  void inJsonImagesLeaveAsReferences() {
    ImageRequest request =
        valid(
            json(
                ",'a':1, 'input_images': ['data:image/webp;base64,UklGRgAAAABXRUJQ',"
                    + "'iVBORw0KGgoAAAAN','\\/9j\\/4AAQSkZJRgAB','R0lGODlhAAAAAAAA'] ,'prompt':'p'"));
    assertThat(request.operation()).isEqualTo(Operation.IMAGE_EDIT);
    assertThat(request.options().sources()).isEqualTo(4);
    String sent = sent(request);
    assertThat(sent)
        .isEqualTo(
            "{'model':'m1-2026','a':1,'images':[{'image_url':'data:image/webp;base64,UklGRgAAAABXRUJQ'},{'image_url':'data:image/png;base64,iVBORw0KGgoAAAAN'},{'image_url':'data:image/jpeg;base64,\\/9j\\/4AAQSkZJRgAB'},{'image_url':'data:image/gif;base64,R0lGODlhAAAAAAAA'}],'prompt':'p'}"
                .replace('\'', '"'));
    assertThat(request.builtBytes(Samples.route(true)))
        .isBetween(sent.length() - 60, sent.length() + 200);
  }

  @Test
  void aGenerationFromImagesIsAnEdit() {
    byte[] bytes =
        "{\"model\":\"acme/img\",\"prompt\":\"p\",\"input_images\":[\"iVBORw0KGgoAAAAN\"]}"
            .getBytes(UTF_8);
    ImageRequest request = valid(ImageRequest.parse(bytes, bytes.length, ImageUrls.PROVIDER));
    assertThat(request.operation()).isEqualTo(Operation.IMAGE_EDIT);
  }
}
