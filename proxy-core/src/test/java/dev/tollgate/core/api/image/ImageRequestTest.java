package dev.tollgate.core.api.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.RequestBodies;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.PriceList.ImagePrice;
import dev.tollgate.core.money.TokenPrices;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageRequestTest {
  private static final String PNG = "iVBORw0KGgoAAAAN";
  private static final String WEBP = "UklGRgAAAABXRUJQ";

  private static final RequestBodies<ImageRequest> BODIES =
      new RequestBodies<>(
          "acme/img", (bytes, length) -> ImageRequest.parse(bytes, length, ImageUrls.PROVIDER));

  private static Model model(PriceList prices) {
    return Samples.model("acme/img", Modality.IMAGE, prices, 0, 0);
  }

  private static PriceList perImage(ImagePrice... images) {
    return new PriceList(TokenPrices.ZERO, List.of(), 0, 0, 0, List.of(images), 0, 0);
  }

  private static ImagePrice price(String size, String quality, long micro) {
    return new ImagePrice(
        Optional.of(size).filter(one -> !one.isEmpty()),
        Optional.of(quality).filter(one -> !one.isEmpty()),
        micro * 1_000_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'prompt':'p'",
        "'prompt':'p','n':1,'size':'1x1','quality':'standard','response_format':'url'",
        "'prompt':'p','n':10,'size':'99999x1024','quality':'hd','response_format':'b64_json'",
        "'prompt':'p','n':null,'size':null,'quality':null,'response_format':null,'style':null",
        "'prompt':'p','quality':'low','style':'vivid','user':'u','routing':'cost'",
        "'prompt':'p','quality':'medium','background':'transparent','stream':false",
        "'prompt':'p','quality':'high','input_images':null,'stream':null",
        "'prompt':'p','quality':'auto','input_images':[]",
        "'prompt':'p','width':8,'height':8,'aspect_ratio':'1:1','resolution':'1k'",
        "'prompt':'p','image_url':null,'reference_images':null",
        "'prompt':'p','input_images':['https://img.example/a.png','" + PNG + "']",
        "'prompt':'p','input_images':['DATA:image/PNG;base64," + PNG + "','HTTPS://a.b/c']",
        "'prompt':'p','input_images':['data:image/jpg;base64,\\/9j\\/4AAQSkZJRgAB','" + WEBP + "']",
        "'prompt':'p','input_images':['data:image/jpeg;base64,\\u002f9j/4AAQSkZJRgABAQ=='],'n':1",
        "'prompt':'p','input_images':['data:image/webp;base64," + WEBP + "Aa8'],'n':1",
        "'prompt':'p','input_images':['data:image/gif;base64,R0lGODlhAAAAAAAA+/A=','R0lGODlhAAAAAAAA']"
      })
  void whatTheTableAllowsIsAccepted(String members) {
    assertThat(BODIES.valid(members).target().model()).hasToString("acme/img");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'n':1 | prompt",
        "'prompt':'' | prompt",
        "'prompt':7 | prompt",
        "'prompt':null | prompt",
        "'prompt':['p'] | prompt",
        "'prompt':'p','n':0 | n",
        "'prompt':'p','n':11 | n",
        "'prompt':'p','n':-1 | n",
        "'prompt':'p','n':1.5 | n",
        "'prompt':'p','n':'1' | n",
        "'prompt':'p','size':'big' | size",
        "'prompt':'p','size':'-1x100' | size",
        "'prompt':'p','size':'0x100' | size",
        "'prompt':'p','size':'1024X1024' | size",
        "'prompt':'p','size':'1024x' | size",
        "'prompt':'p','size':'100000x1' | size",
        "'prompt':'p','size':' 1x1' | size",
        "'prompt':'p','size':1024 | size",
        "'prompt':'p','quality':'best' | quality",
        "'prompt':'p','quality':1 | quality",
        "'prompt':'p','style':1 | style",
        "'prompt':'p','response_format':'png' | response_format",
        "'prompt':'p','response_format':{} | response_format",
        "'prompt':'p','user':1 | user",
        "'prompt':'p','stream':true | stream",
        "'prompt':'p','input_images':'https://a.b/c' | input_images",
        "'prompt':'p','input_images':[1] | input_images[0]",
        "'prompt':'p','prompt':'q' | prompt",
        "'prompt':'p','N':2 | N",
        "'prompt':'p','input_images':[],'Input_Images':[] | Input_Images",
        "'prompt':'p','size':'256x256','width':1,'width':4096 | width",
        "'prompt':'p','size':'256x256','height':1,'height':4096 | height",
        "'prompt':'p','size':'256x256','Height':4096 | Height",
        "'prompt':'p','size':'16x9','aspect_ratio':'1:1','aspect_ratio':'1:2' | aspect_ratio",
        "'prompt':'p','resolution':'1k','Resolution':'2k' | Resolution",
        "'prompt':'p','image_url':'https://a.b/c' | image_url",
        "'prompt':'p','image_url':'https://a.b/c','input_images':['" + PNG + "'] | image_url",
        "'prompt':'p','IMAGE_URL':'https://a.b/c' | IMAGE_URL",
        "'prompt':'p','reference_images':['https://a.b/c'] | reference_images"
      })
  void whatItForbidsIsNamed(String members, String param) {
    Fault fault = BODIES.refused(members);
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo(param);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'prompt':'p','input_images':['http://a.b/c'] | input_images[0]",
        "'prompt':'p','input_images':['" + PNG + "','ftp://a.b/c'] | input_images[1]",
        "'prompt':'p','input_images':['" + PNG + "A'] | input_images[0]",
        "'prompt':'p','input_images':['" + PNG + "AA='] | input_images[0]",
        "'prompt':'p','input_images':['" + PNG + "AAA=='] | input_images[0]",
        "'prompt':'p','input_images':['" + PNG + "AAAA='] | input_images[0]",
        "'prompt':'p','input_images':['" + PNG + "AA==AAAA'] | input_images[0]",
        "'prompt':'p','input_images':['" + PNG + "AA\\n'] | input_images[0]",
        "'prompt':'p','input_images':['" + PNG + "-_AA'] | input_images[0]",
        "'prompt':'p','input_images':['" + PNG + "\u00e9'] | input_images[0]",
        "'prompt':'p','input_images':['iVBO'] | input_images[0]",
        "'prompt':'p','input_images':['cGxhaW4gd29yZHMgb2YgbWluZQ=='] | input_images[0]",
        "'prompt':'p','input_images':['UklGRgAAAABXQVZF'] | input_images[0]",
        "'prompt':'p','input_images':['data:image/png;base64," + WEBP + "'] | input_images[0]",
        "'prompt':'p','input_images':['data:image/jpeg;base64," + PNG + "'] | input_images[0]",
        "'prompt':'p','input_images':['data:image/gif;base64,/9j/4AAQSkZJRgAB'] | input_images[0]",
        "'prompt':'p','input_images':['data:image/png;base64'] | input_images[0]",
        "'prompt':'p','input_images':['data:'] | input_images[0]",
        "'prompt':'p','input_images':['data:image/png;base64,@@@'] | input_images[0]",
        "'prompt':'p','input_images':['data:image/svg+xml;base64,PHN2Zy8+'] | input_images[0]",
        "'prompt':'p','input_images':['data:image/png,iVBO'] | input_images[0]",
        "'prompt':'p','input_images':['data:image/png;base64,'] | input_images[0]",
        "'prompt':'p','input_images':[''] | input_images[0]"
      })
  void whatIsNoImageIsNamed(String members, String param) {
    whatItForbidsIsNamed(members, param);
  }

  @Test
  void aCharacterIsOneHoweverItIsWritten() {
    String most = "\uD83D\uDE00".repeat(31_999) + "\\u00e9";
    assertThat(BODIES.parse("'prompt':'" + most + "'")).isInstanceOf(ParseResult.Valid.class);
    assertThat(BODIES.parse("'prompt':'" + most + "a'")).isInstanceOf(ParseResult.Refused.class);
  }

  @Test
  void membersThatArePassedOnUnreadCountAsPrompt() {
    long more =
        BODIES.valid("'prompt':'p','x':'" + "y".repeat(9_000) + "'").options().promptBytes()
            - BODIES.valid("'prompt':'p'").options().promptBytes();
    assertThat(more).isEqualTo(9_002);
  }

  @Test
  void tenSourcesAreTheMost() {
    String one = "'" + PNG + "'";
    String ten = String.join(",", IntStream.range(0, 10).mapToObj(_ -> one).toList());
    assertThat(BODIES.valid("'prompt':'p','input_images':[" + ten + "]").options().sources())
        .isEqualTo(10);
    ParseResult<ImageRequest> eleven =
        BODIES.parse("'prompt':'p','input_images':[" + ten + "," + one + "]");
    assertThat(((ParseResult.Refused<ImageRequest>) eleven).fault().param())
        .isEqualTo("input_images");
  }

  /** Event loops read many bodies at a time, and copies of a body are not counted. */
  @ParameterizedTest
  @ValueSource(strings = {"", "data:image/png;base64,", "https://img.example/"})
  void aLargeImageIsReadInPlace(String prefix) {
    String image = prefix + PNG.repeat((8 << 20) / PNG.length());
    byte[] bytes =
        ("{\"model\":\"acme/img\",\"prompt\":\"p\",\"input_images\":[\"" + image + "\"]}")
            .getBytes(UTF_8);
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    var parsed = ImageRequest.parse(bytes, bytes.length, ImageUrls.PROVIDER);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(allocated).isLessThan(256 * 1024);
    boolean isUrl = prefix.startsWith("https");
    assertThat(parsed).isInstanceOf(isUrl ? ParseResult.Refused.class : ParseResult.Valid.class);
  }

  @Test
  void eachImageIsSetAsideAtThePriceOfItsKind() {
    Model model =
        model(
            perImage(
                price("1024x1024", "low", 11_000),
                price("1024x1024", "high", 167_000),
                price("1536x1024", "high", 250_000)));
    assertThat(estimate("'size':'1024x1024','quality':'low','n':3", model)).isEqualTo(33_000);
    assertThat(estimate("'size':'1536x1024','quality':'high'", model)).isEqualTo(250_000);
    assertThat(estimate("'size':'1024x1024'", model)).as("the dearest").isEqualTo(250_000);
    assertThat(estimate("'size':'1024x1024','quality':'auto'", model)).isEqualTo(250_000);
    assertThat(estimate("'size':'64x64','quality':'low'", model)).isEqualTo(250_000);
    assertThat(estimate("'n':10", model)).isEqualTo(2_500_000);
  }

  @Test
  void ofTokensIsSetAsideWhatALargeImageHasAndTheModelsOwnBound() {
    Model model = model(PriceList.ofTokens(TokenPrices.of(1_000_000, 1_000_000)));
    long one = estimate("'size':'1024x1024'", model);
    assertThat(one).as("its prompt, and no less than a gpt-image has").isBetween(4_160L, 10_000L);
    assertThat(estimate("'n':2,'size':'1024x1024'", model) - one).isEqualTo(one - 3);
    assertThat(estimate("'size':'3840x2160'", model)).isGreaterThan(33_000);
    assertThat(estimate("'size':'1x1'", model)).isEqualTo(4_096 + 3);
    assertThat(estimate("'size':'99999x99999'", model)).isLessThan(400_000);
    long source = estimate("'size':'1x1','input_images':['" + PNG + "']", model);
    assertThat(source).isEqualTo(4_096 + 3 + 5_000);
  }

  private static long estimate(String members, Model model) {
    return BODIES.valid("'prompt':'p'," + members).estimate(model).value();
  }

  @Test
  void itsProviderGetsTheBodyWithItsOwnModelName() {
    ImageRequest request =
        BODIES.valid("'prompt':'p','routing':{'strategy':'cost'},'seed': 7,'n':2");
    ByteBuf[] parts = request.bodyFor(Samples.route(true)).toArray(ByteBuf[]::new);
    assertThat(Unpooled.wrappedBuffer(parts).toString(UTF_8))
        .isEqualTo("{\"model\":\"m1-2026\",\"prompt\":\"p\",\"seed\": 7,\"n\":2}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"image", "images", "mask"})
  void imagesOutsideOfTheEstimateAreRefused(String member) {
    ParseResult<ImageRequest> parsed =
        BODIES.parse(
            "'prompt':'p','input_images':['%s'],'%s':[{'image_url':'https://h/a.png'}]"
                .formatted(PNG, member));
    assertThat(parsed).isInstanceOf(ParseResult.Refused.class);
    assertThat(((ParseResult.Refused<ImageRequest>) parsed).fault().param()).isEqualTo(member);
    assertThat(BODIES.parse("'prompt':'p','%s':null".formatted(member)))
        .isInstanceOf(ParseResult.Valid.class);
  }
}
