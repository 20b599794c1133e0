package dev.tollgate.server.settings.binding;

import dev.tollgate.server.settings.binding.ScalarFormat.Parsed;
import dev.tollgate.server.settings.value.BindAddress;
import dev.tollgate.server.settings.value.CidrBlock;
import dev.tollgate.server.settings.value.HttpUrl;
import dev.tollgate.server.settings.value.NoProxy;
import dev.tollgate.server.settings.value.Origin;
import dev.tollgate.server.settings.value.ProxyChoice;
import dev.tollgate.server.settings.value.ProxyUrl;
import dev.tollgate.server.settings.value.StoreUrl;
import java.util.Optional;

/** Formats of settings that are addresses: of listeners, servers, networks, pages and proxies. */
final class AddressFormats {
  private AddressFormats() {}

  static ScalarFormat of(Class<?> type) {
    if (type == ProxyUrl.class) {
      return proxyUrl();
    } else if (type == ProxyChoice.class) {
      return proxyChoice();
    } else if (type == NoProxy.class) {
      return noProxy();
    } else if (type == BindAddress.class) {
      return bindAddress();
    } else if (type == HttpUrl.class) {
      return httpUrl();
    } else if (type == CidrBlock.class) {
      return cidr();
    } else if (type == Origin.class) {
      return origin();
    } else if (type == StoreUrl.class) {
      return storeUrl();
    }
    throw new AssertionError("no format for " + type);
  }

  private static ScalarFormat proxyUrl() {
    return ScalarFormats.format(
            "a proxy such as http://user:password@host:3128",
            ProxyUrl::parse,
            Object::toString,
            ScalarFormats.pattern("^http://.+:[0-9]{1,5}/?$"))
        .unquoted();
  }

  private static ScalarFormat proxyChoice() {
    return ScalarFormats.format(
            "inherit, null, or a proxy such as http://user:password@host:3128",
            ProxyChoice::parse,
            Object::toString,
            ScalarFormats.pattern("^(inherit|http://.+:[0-9]{1,5}/?)$"))
        .unquoted();
  }

  private static ScalarFormat noProxy() {
    return ScalarFormats.format(
        "a host name, a .domain, an address or a block such as 10.0.0.0/8",
        NoProxy::parse,
        Object::toString,
        ScalarFormats.pattern("^\\S+$"));
  }

  private static ScalarFormat bindAddress() {
    return ScalarFormats.format(
        "an address host:port such as 127.0.0.1:8080 or [::1]:8080",
        BindAddress::parse,
        Object::toString,
        ScalarFormats.pattern("^.+:[0-9]{1,5}$"));
  }

  private static ScalarFormat httpUrl() {
    return ScalarFormats.format(
            "an http:// or https:// address without user, query or fragment",
            HttpUrl::parse,
            Object::toString,
            ScalarFormats.pattern("^https?://.+$"))
        .unquoted();
  }

  private static ScalarFormat cidr() {
    return new ScalarFormat(
        "an address or block such as 10.0.0.0/8",
        (text, _) -> {
          if (text.equals("*")
              || CidrBlock.parse(text).filter(CidrBlock::isEverything).isPresent()) {
            return new Parsed.Refused("must not match all addresses: list the trusted ones");
          }
          return ScalarFormats.fit(CidrBlock.parse(text));
        },
        Object::toString,
        ScalarFormats.pattern("^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$"),
        false);
  }

  private static ScalarFormat origin() {
    return new ScalarFormat(
        "an origin such as https://app.example.com, without a path and without *",
        (text, _) -> {
          Optional<Origin> origin = Origin.parse(text);
          return origin.isPresent() && !origin.get().toString().equals(text)
              ? new Parsed.Refused("must be as browsers send it: " + origin.get())
              : ScalarFormats.fit(origin);
        },
        Object::toString,
        ScalarFormats.pattern("^https?://[^/?#@*\\s]+$"),
        false);
  }

  private static ScalarFormat storeUrl() {
    return new ScalarFormat(
        "embedded or jdbc:postgresql://host/database",
        (text, _) -> {
          if (StoreUrl.CREDENTIAL.matcher(text).find()) {
            return new Parsed.Refused(
                "must not hold a user or password: use store.username and store.password");
          }
          return ScalarFormats.fit(StoreUrl.parse(text));
        },
        Object::toString,
        ScalarFormats.pattern("^(embedded|jdbc:postgresql://\\S+)$"),
        true);
  }
}
