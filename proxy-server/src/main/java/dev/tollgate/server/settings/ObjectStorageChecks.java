package dev.tollgate.server.settings;

import dev.tollgate.server.settings.value.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * Validates that {@code object_storage} describes exactly one directory or one S3 bucket
 * completely.
 */
final class ObjectStorageChecks {
  private final SectionProblems problems;

  ObjectStorageChecks(SectionProblems problems) {
    this.problems = problems;
  }

  void check(@Nullable ObjectStorageSettings storage, ListenerSettings.Api api) {
    if (storage == null || problems.isReported("")) {
      return;
    }
    if (storage.directory() != null) {
      refuse(storage.endpoint(), "endpoint");
      refuse(storage.bucket(), "bucket");
      refuse(storage.accessKey(), "access_key");
      refuse(storage.secretKey(), "secret_key");
      checkBase(api);
    } else if (storage.endpoint() == null) {
      problems.add("", "needs a directory, or an endpoint with bucket, access_key and secret_key");
    } else {
      checkEndpoint(storage.endpoint(), storage);
    }
  }

  private void checkBase(ListenerSettings.Api api) {
    if (api.baseUrl() == null && api.address().isWildcard()) {
      problems.warn(
          "directory",
          "makes URLs of 127.0.0.1; clients on other machines need" + " listeners.api.base_url");
    }
  }

  private void checkEndpoint(HttpUrl endpoint, ObjectStorageSettings storage) {
    require(storage.bucket(), "bucket");
    require(storage.accessKey(), "access_key");
    require(storage.secretKey(), "secret_key");
    if (!endpoint.path().isEmpty()) {
      problems.add("endpoint", "must have no path; path_style puts the bucket there");
    }
    String bucket = storage.bucket();
    if (bucket != null && bucket.contains(".") && endpoint.tls() && !storage.pathStyle()) {
      problems.add(
          "path_style", "must be true for a bucket with dots: no certificate fits its host");
    }
    boolean isNumeric = endpoint.host().indexOf(':') >= 0 || endpoint.host().matches("[0-9.]+");
    if (isNumeric && !storage.pathStyle()) {
      problems.add("path_style", "must be true where the endpoint is an address without a name");
    }
  }

  private void refuse(@Nullable Object value, String key) {
    if (value != null) {
      problems.add(key, "has no effect with a directory");
    }
  }

  private void require(@Nullable Object value, String key) {
    if (value == null) {
      problems.add("", "needs " + key);
    }
  }
}
