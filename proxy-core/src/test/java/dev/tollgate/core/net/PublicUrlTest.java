package dev.tollgate.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.net.PublicUrl.Host;
import dev.tollgate.core.net.PublicUrl.UrlParseResult;
import dev.tollgate.core.testkit.Seeds;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Valid URLs, their hosts, and the ones that may be called. */
class PublicUrlTest {
  private static final UrlRules USUAL = rules(List.of(), List.of(), Set.of());

  private static UrlRules rules(List<String> allowed, List<String> denied, Set<String> names) {
    return new UrlRules(
        Set.of(443, 8443),
        names,
        CidrSet.parse(allowed),
        CidrSet.parse(denied),
        Set.of("gateway.example"),
        CidrSet.parse(List.of("198.20.7.7", "2606:4700::77")));
  }

  private static PublicUrl url(String text) {
    if (PublicUrl.parse(text) instanceof UrlParseResult.Valid fine) {
      return fine.url();
    }
    throw new AssertionError(text + " is " + PublicUrl.parse(text));
  }

  @ParameterizedTest
  @CsvSource({
    "https://good.example, good.example, 443, /",
    "https://good.example?q=1, good.example, 443, /?q=1",
    "https://good.example#top, good.example, 443, /",
    "HTTPS://GOOD.Example.:8443/Path?q=/a@b#f, good.example, 8443, /Path?q=/a@b",
    "https://a_b.xn--bcher-kva.example/%20, a_b.xn--bcher-kva.example, 443, /%20",
    "https://1.good.example/, 1.good.example, 443, /",
    "https://93.184.216.34/, 93.184.216.34, 443, /",
    "https://[2606:4700:0:0:0:0:0:1111]:8443/x, 2606:4700::1111, 8443, /x",
    "https://[2606:4700::1.2.3.4]/, 2606:4700::102:304, 443, /",
  })
  void urls(String text, String host, int port, String target) {
    PublicUrl url = url(text);
    assertThat(url.host().plain()).isEqualTo(host);
    assertThat(url.port()).isEqualTo(port);
    assertThat(url.target()).isEqualTo(target);
    assertThat(USUAL.check(text)).isEqualTo(new UrlParseResult.Valid(url));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "https:",
        "https://",
        "https:/good.example/",
        "https:\\\\good.example/",
        "http://good.example/",
        "ftp://good.example/",
        "//good.example/",
        " https://good.example/",
        "https://good.example/ ",
        "https://good.example/a b",
        "https://good.example/\\",
        "https://good.example/#a#b",
        "https://good.example/\r\nHost: evil",
        "https://good.example/\u00e9",
        "https://g\u00f6od.example/",
        "https://good\u3002example/",
        "https://user@good.example/",
        "https://user:pass@good.example/",
        "https://good%2eexample/",
        "https://good..example/",
        "https://.good.example/",
        "https://good.example../",
        "https://-good.example/",
        "https://good-.example/",
        "https://good.example:/",
        "https://good.example:0/",
        "https://good.example:0443/",
        "https://good.example:65536/",
        "https://good.example:443:443/",
        "https://good.example:443a/",
        "https://[]/",
        "https://[2606:4700::1/",
        "https://[2606:4700::1]x/",
        "https://[2606:4700::1%25eth0]/",
        "https://[2606:4700::1.2.3]/",
        "https://[2606:4700::01.2.3.4]/",
        "https://[1.2.3.4]/",
        "https://[2606:4700:::1]/",
        "https://2606:4700::1/",
      })
  void whatIsNoUrlIsInvalid(String text) {
    assertThat(PublicUrl.parse(text)).isInstanceOf(UrlParseResult.Malformed.class);
    Fault fault = ((UrlParseResult.Malformed) PublicUrl.parse(text)).fault("input_images[2]");
    assertThat(fault.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(fault.param()).isEqualTo("input_images[2]");
  }

  @Test
  void lengthsHaveBounds() {
    String name = "a".repeat(63) + ".";
    assertThat(PublicUrl.parse("https://" + name.repeat(3) + "a".repeat(61) + "/"))
        .isInstanceOf(UrlParseResult.Valid.class);
    assertThat(PublicUrl.parse("https://" + name.repeat(3) + "a".repeat(62) + "/"))
        .isInstanceOf(UrlParseResult.Malformed.class);
    assertThat(PublicUrl.parse("https://a" + name + "example/"))
        .isInstanceOf(UrlParseResult.Malformed.class);
    String start = "https://good.example/";
    String longest = start + "a".repeat(PublicUrl.CHARS_MAX - start.length());
    assertThat(PublicUrl.parse(longest)).isInstanceOf(UrlParseResult.Valid.class);
    assertThat(PublicUrl.parse(longest + "a")).isInstanceOf(UrlParseResult.Malformed.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://127.0.0.1/",
        "https://127.1/",
        "https://0177.0.0.1/",
        "https://0x7f.1/",
        "https://2130706433/",
        "https://good.example.1/",
        "https://93.184.216.34./",
        "https://93.184.216.034/",
        "https://10.0.0.1/",
        "https://168.63.129.16/",
        "https://255.255.255.255/",
        "https://[::1]/",
        "https://[::]/",
        "https://[::ffff:93.184.216.34]/",
        "https://[::93.184.216.34]/",
        "https://[64:ff9b::5db8:d822]/",
        "https://[fe80::1]/",
        "https://[fd00::1]/",
        "https://[2001::1]/",
        "https://[2001:1ff::1]/",
        "https://[2002:5db8:d822::1]/",
        "https://[2001:db8::1]/",
        "https://[3fff:fff::1]/",
        "https://[2606:4700::200:5efe:93.184.216.34]/",
        "https://[4000::1]/",
        "https://localhost/",
        "https://postgres/",
        "https://a.localhost./",
        "https://a.INTERNAL/",
        "https://a.svc/",
        "https://a.home.arpa/",
        "https://a.onion/",
        "https://good.example:22/",
        "https://good.example:80/",
        "https://gateway.example/",
        "https://198.20.7.7/",
        "https://[2606:4700::77]/",
      })
  void whatIsNotPublicIsRefused(String text) {
    assertThat(USUAL.check(text)).isInstanceOf(UrlParseResult.Refused.class);
    Fault fault = ((UrlParseResult.Refused) USUAL.check(text)).fault("input_images[0]");
    assertThat(fault.code()).isEqualTo(ErrorCode.SSRF_BLOCKED);
    assertThat(fault.param()).isEqualTo("input_images[0]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://a.internal.example/",
        "https://homearpa.example/",
        "https://1.1.1.1/",
        "https://[2001:200::1]/",
        "https://[2606:4700::100:5efe:1.1.1.1]/",
        "https://[3ffe::1]/",
      })
  void whatOnlyLooksLocalIsNot(String text) {
    assertThat(USUAL.check(text)).isInstanceOf(UrlParseResult.Valid.class);
  }

  @Test
  void anOperatorAllowsBlocksAndNamesAndDeniesOthersAboveAll() {
    UrlRules rules =
        rules(
            List.of("10.1.0.0/16", "198.20.7.7"),
            List.of("10.1.9.0/24", "93.184.216.0/24"),
            Set.of("minio"));
    assertThat(rules.check("https://10.1.0.1/")).isInstanceOf(UrlParseResult.Valid.class);
    assertThat(rules.check("https://10.2.0.1/")).isInstanceOf(UrlParseResult.Refused.class);
    assertThat(rules.check("https://10.1.9.1/")).isInstanceOf(UrlParseResult.Refused.class);
    assertThat(rules.check("https://93.184.216.34/")).isInstanceOf(UrlParseResult.Refused.class);
    assertThat(rules.check("https://198.20.7.7/"))
        .as("our own")
        .isInstanceOf(UrlParseResult.Valid.class);
    assertThat(rules.check("https://minio/")).isInstanceOf(UrlParseResult.Valid.class);
    assertThat(rules.check("https://minio:9000/")).isInstanceOf(UrlParseResult.Refused.class);
    assertThat(rules.check("https://other/")).isInstanceOf(UrlParseResult.Refused.class);

    PublicUrl minio = url("https://minio/");
    assertThat(rules.mayCall(minio, address("10.2.0.1"))).isTrue();
    assertThat(rules.mayCall(minio, address("10.1.9.1"))).as("denied").isFalse();
    PublicUrl good = url("https://good.example/");
    assertThat(rules.mayCall(good, address("10.1.0.1"))).isTrue();
    assertThat(rules.mayCall(good, address("10.2.0.1"))).isFalse();
    assertThat(rules.mayCall(good, address("::ffff:10.2.0.1"))).isFalse();
    assertThat(rules.mayCall(good, address("93.184.217.34"))).isTrue();
    assertThat(rules.mayCall(good, address("93.184.216.34"))).as("denied").isFalse();
  }

  private static InetAddress address(String text) {
    return InetAddress.ofLiteral(text);
  }

  /**
   * Another IPv6 parser reads the same address; texts that only the other parser accepts are
   * refused.
   */
  @Test
  void anIpv6AddressIsWhatOthersTakeItFor() {
    Seeds.forEach(
        5_000,
        random -> {
          StringBuilder text = new StringBuilder();
          int steps = 1 + random.nextInt(12);
          String[] pieces = {":", "::", "0", "1", "fF0", "2606", "1.2.3.4", ".", "10000", "64"};
          for (int i = 0; i < steps; i++) {
            text.append(pieces[random.nextInt(pieces.length)]);
            text.append(random.nextInt(3) == 0 ? "" : ":");
          }
          if (USUAL.check("https://[" + text + "]/") instanceof UrlParseResult.Valid fine
              && fine.url().host() instanceof Host.Literal literal) {
            byte[] other = NetUtil.createByteArrayFromIpAddressString(text.toString());
            assertThat(other == null ? literal.address() : IpAddresses.of(other))
                .as("%s", text)
                .isEqualTo(literal.address());
          }
        });
  }

  /** A valid URL has the same host in the parser of the JDK. */
  @Test
  void noOtherParserFindsAnotherHost() {
    Seeds.forEach(
        20_000,
        random -> {
          StringBuilder text = new StringBuilder("https://");
          String[] pieces = {
            "good",
            ".example",
            "evil.example",
            "@",
            ":",
            "443",
            "/",
            "\\",
            "?",
            "#",
            "[",
            "]",
            "1",
            ".",
            "%",
            "-",
            "_",
            "&",
            ";",
            "//",
            "::1",
            "127.0.0.1"
          };
          int steps = 1 + random.nextInt(8);
          for (int i = 0; i < steps; i++) {
            text.append(pieces[random.nextInt(pieces.length)]);
          }
          if (PublicUrl.parse(text.toString()) instanceof UrlParseResult.Valid fine
              && text.indexOf("%") < 0
              && text.indexOf("_") < 0
              && text.substring("https://".length()).matches("[^\\[\\]]*")) {
            URI other = URI.create(text.toString());
            // It has no host if the last label begins with a digit, but an authority.
            String host = other.getHost() == null ? other.getAuthority() : other.getHost();
            String rooted = host.replaceAll("\\.?(:443)?$", "");
            assertThat(rooted).as("%s", text).isEqualTo(fine.url().host().plain());
          }
        });
  }

  @ParameterizedTest
  @CsvSource({
    "https://other.example/x, https://other.example/x",
    "HTTP://other.example/, HTTP://other.example/",
    "//other.example/x, https://other.example/x",
    "/x/y?q, https://good.example:443/x/y?q",
    "x, https://good.example:443/a/x",
    "../x, https://good.example:443/x",
    "../../../x, https://good.example:443/x",
    "./x/./y/.., https://good.example:443/a/x/",
    "?r=.., https://good.example:443/a/b?r=..",
    "#top, https://good.example:443/a/b?q",
    "'', https://good.example:443/a/b?q",
    "x?y=/../z, https://good.example:443/a/x?y=/../z",
  })
  void redirectsAreRelativeToWhereTheyAre(String location, String to) {
    assertThat(url("https://good.example/a/b?q").redirected(location)).isEqualTo(to);
  }

  @Test
  void aRedirectOfAnIpv6AddressKeepsItsBrackets() {
    assertThat(url("https://[2606:4700::1]:8443/a").redirected("b"))
        .isEqualTo("https://[2606:4700::1]:8443/b");
  }

  @Test
  void inLogsAUrlShowsNoPath() {
    assertThat(url("https://good.example/secret?token=1")).hasToString("https://good.example:443");
  }
}
