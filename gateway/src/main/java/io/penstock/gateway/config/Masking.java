package io.penstock.gateway.config;

import java.util.regex.Pattern;

/** Takes secrets out of text that is shown. */
final class Masking {
    private static final Pattern QUERY =
            Pattern.compile("(?i)([?&](?:password|sslpassword)=)[^&]*");
    private static final Pattern USER_INFO = Pattern.compile("(//[^/@:]*:)[^/@]*@");

    private Masking() {}

    /** The URL without the passwords that it may carry. */
    static String url(String url) {
        String masked = QUERY.matcher(url).replaceAll("$1" + Secret.MASK);
        return USER_INFO.matcher(masked).replaceAll("$1" + Secret.MASK + "@");
    }
}
