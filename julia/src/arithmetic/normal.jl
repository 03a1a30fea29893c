# The bell e^(-x^2/2) and the normal tail in plain doubles, by + - * / in the written order: fast enough for long sums.
#
# Relative errors are a few 1e-16. Where every bit must be correct, use the module Distributions.

module Normal

Base.Experimental.@optlevel 2

using ..DoubleDouble: two_prod

const UNDERFLOW = 37.5  # for x above this the bell and the tail are below 1e-305, and count as 0
const INV_LN2, LN2_HIGH, LN2_LOW = 1.4426950408889634, 0.6931471803691238, 1.9082149292705877e-10
const INV_SQRT_2PI = 0.3989422804014327
const INVERSE_FACTORIALS = (  # 1 / n!, n = 0..13
    1.0, 1.0, 0.5, 0.16666666666666666, 0.041666666666666664, 0.008333333333333333, 0.001388888888888889,
    0.0001984126984126984, 2.48015873015873e-05, 2.7557319223985893e-06, 2.755731922398589e-07,
    2.505210838544172e-08, 2.08767569878681e-09, 1.6059043836821613e-10,
)
# Chebyshev coefficients of (x + 5) (1 - Phi(x)) / phi(x) in t = (x - 5) / (x + 5), x >= 0; the first is halved
const MILLS = (
    2.7196852387678244, -2.369067605650879, 0.8511076451912901, -0.25267101020189897, 0.06101538640490704,
    -0.011475514073056178, 0.0014946108965619613, -7.528550840431418e-05, -1.7441640986188533e-05,
    4.165069376460427e-06, -1.075491741115436e-07, -9.471226425550921e-08, 1.1672253441654395e-08,
    1.8216467239028026e-09, -4.702612503635878e-10, -3.396099140347166e-11, 1.6931861387628094e-11,
    7.116261233426692e-13, -6.192628267806253e-13, -2.267253181994824e-14, 2.369054606339966e-14,
    1.2094286091906465e-15, -9.388069136947026e-16, -7.955671520049973e-17, 3.726012047720447e-17,
)

"The function e^(-x^2/2); 0 for |x| > UNDERFLOW."
function bell(x)
    abs(x) > UNDERFLOW && return 0.0
    p, q = two_prod(x, x)
    y = -0.5 * p
    n = floor(y * INV_LN2 + 0.5)
    r = ((y - n * LN2_HIGH) - n * LN2_LOW) - 0.5 * q
    s = INVERSE_FACTORIALS[14]
    for i in 13:-1:1
        s = s * r + INVERSE_FACTORIALS[i]
    end
    return ldexp(s, Int(n))
end

"The normal tail P(Z > x), to full relative accuracy where it is small."
function tail(x)
    z = abs(x)
    z > UNDERFLOW && return x > 0.0 ? 0.0 : 1.0
    t = 2.0 * ((z - 5.0) / (z + 5.0))
    b, c = 0.0, 0.0
    for i in 25:-1:2
        b, c = (t * b - c) + MILLS[i], b
    end
    upper = (((0.5 * t) * b - c) + MILLS[1]) / (z + 5.0) * (bell(z) * INV_SQRT_2PI)
    return x >= 0.0 ? upper : 1.0 - upper
end

end
