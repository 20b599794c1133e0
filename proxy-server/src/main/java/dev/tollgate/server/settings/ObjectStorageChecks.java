package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.SourceLocations;
import dev.tollgate.server.settings.value.HttpUrl;
import dev.tollgate.server.settings.yaml.Problems;
import org.jspecify.annotations.Nullable;

/** Checks that outputs have one place, and all that is needed to reach it. */
final class ObjectStorageChecks {
  private static final String PATH = "object_storage";

  private final SourceLocations locations;
  private final Problems problems;

  ObjectStorageChecks(SourceLocations locations, Problems problems) {
    this.locations = locations;
    this.problems = problems;
  }

  void check(@Nullable ObjectStorageSettings storage, ListenerSettings.Api api) {
    if (storage == null || problems.hasProblemAt(PATH)) {
      return;
    }
    if (storage.directory() != null) {
      refuse(storage.endpoint(), "endpoint");
      refuse(storage.bucket(), "bucket");
      refuse(storage.accessKey(), "access_key");
      refuse(storage.secretKey(), "secret_key");
      checkBase(api);
    } else if (storage.endpoint() == null) {
      report(PATH, "needs a directory, or an endpoint with bucket, access_key and secret_key");
    } else {
      checkEndpoint(storage.endpoint(), storage);
    }
  }

  private void checkBase(ListenerSettings.Api api) {
    if (api.baseUrl() == null && api.address().isWildcard()) {
      String path = PATH + ".directory";
      String message = "gives out URLs of 127.0.0.1; others than this machine's clients need ";
      problems.warn(locations.of(path), path, message + "listeners.api.base_url");
    }
  }

  private void checkEndpoint(HttpUrl endpoint, ObjectStorageSettings storage) {
    require(storage.bucket(), "bucket");
    require(storage.accessKey(), "access_key");
    require(storage.secretKey(), "secret_key");
    if (!endpoint.path().isEmpty()) {
      report(PATH + ".endpoint", "must have no path; path_style puts the bucket there");
    }
    String bucket = storage.bucket();
    if (bucket != null && bucket.contains(".") && endpoint.tls() && !storage.pathStyle()) {
      report(
          PATH + ".path_style",
          "must be true for a bucket with dots: no certificate fits its host");
    }
    boolean isNumeric = endpoint.host().indexOf(':') >= 0 || endpoint.host().matches("[0-9.]+");
    if (isNumeric && !storage.pathStyle()) {
      report(PATH + ".path_style", "must be true where the endpoint is an address without a name");
    }
  }

  private void refuse(@Nullable Object value, String key) {
    if (value != null) {
      report(PATH + "." + key, "has no meaning beside a directory");
    }
  }

  private void require(@Nullable Object value, String key) {
    if (value == null) {
      report(PATH, "needs " + key);
    }
  }

  private void report(String path, String message) {
    problems.add(locations.of(path), path, message);
  }
}
